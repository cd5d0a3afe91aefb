package document

import "strings"

// monthNames holds the names of the months and their abbreviations, those of a language in a line, in the order of the year. Names are
// folded as by foldMonth.
var monthNames = [12]string{
	"january januar janvier enero января январь janv jan ene янв gennaio janeiro januari gen",
	"february februar fevrier febrero февраля февраль fevr fev feb фев февр febbraio fevereiro februari",
	"march marz maerz mars marzo марта март mar mrz мар marco maart mrt",
	"april avril abril апреля апрель apr avr abr апр aprile",
	"may mai mayo мая май maggio maio mei mag",
	"june juni juin junio июня июнь jun июн giugno junho giu",
	"july juli juillet julio июля июль jul juil июл luglio julho lug",
	"august aout agosto августа август aug ago авг augustus",
	"september septembre septiembre setiembre сентября сентябрь sep sept сен сент settembre setembro set",
	"october oktober octobre octubre октября октябрь oct okt окт ottobre outubro out ott",
	"november novembre noviembre ноября ноябрь nov ноя нояб novembro",
	"december dezember decembre diciembre декабря декабрь dec dez dic дек dicembre dezembro december",
}

var months = func() map[string]int {
	m := map[string]int{}
	for i, names := range monthNames {
		for name := range strings.FieldsSeq(names) {
			m[name] = i + 1
		}
	}
	return m
}()

// monthBegins has the bytes with which names of months begin, in lower and upper case.
var monthBegins = func() (begins [256]bool) {
	for name := range months {
		begins[name[0]], begins[strings.ToUpper(name)[0]] = true, true
	}
	return begins
}()

// longestMonth is the length of the longest name in bytes, with letters that fold to shorter ones.
const longestMonth = 24

var monthFolder = strings.NewReplacer("é", "e", "è", "e", "û", "u", "ä", "a", "ç", "c", "É", "e", "È", "e", "Û", "u", "Ä", "a", "Ç", "c")

// foldMonth returns a word in lower case without the marks that names of months have; "" for one that is too long for a month.
func foldMonth(word string) string {
	if len(word) < 3 || len(word) > longestMonth || !monthBegins[word[0]] {
		return ""
	}
	return monthFolder.Replace(strings.ToLower(word))
}
