package search

import (
	"slices"
	"strings"

	"github.com/pgseek/pgseek/search/query"
)

// stopWords are words that say nothing about what is searched for, by language. They are left out of a query that
// has others and in which any word is enough. The index has them: a phrase finds them. The English ones include the
// list of Snowball (https://snowballstem.org), and the forms of "use", which half of all questions have.
var stopWords = map[string][]string{
	"da": strings.Fields("og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over da fra du ud os op man hvor eller hvad skal hvordan"),
	"de": strings.Fields("der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird werden mit von vom zu zum zur im in am an auf aus bei für ich du er sie es wir ihr nicht auch als wie was wer wo wenn dass man kann können mein dein sein"),
	"en": strings.Fields("a about above after again against all also am an and any are as at be because been before being below between both but by can cannot could did do does doing down during each few for from further had has have having he her here hers herself him himself his how i if in into is it its itself may me might more most must my myself no nor not of off on once only or other ought our ours ourselves out over own same shall she should so some such than that the their theirs them themselves then there these they this those through to too under until up us use used using very was we were what when where which while who whom why will with would you your yours yourself yourselves"),
	"es": strings.Fields("el la los las un una unos unas y o de del al a en con por para que como es son era fue se su sus mi me no más pero lo le les qué cómo cuándo dónde este esta"),
	"fi": strings.Fields("ja on ei se että en hän mutta tai kun niin kuin jos mitä mikä miten missä tämä olla oli ovat"),
	"fr": strings.Fields("le la les un une des du de et ou à au aux en dans par pour sur avec est sont était ce cet cette ces que qui quoi dont où je tu il elle nous vous ils elles ne pas plus se son sa ses mon ma mes comment pourquoi quand d l s c j n qu"),
	"hu": strings.Fields("a az és egy hogy nem is van volt ez meg de csak mint ha vagy mi ki hol hogyan mikor"),
	"it": strings.Fields("il lo la i gli le un uno una e o di del della dei delle a al alla in nel nella con su per da dal che chi cui come è sono era non più si mi ti ci quando dove perché"),
	"nl": strings.Fields("de het een en of van in op te aan met voor door is zijn was waren dat die dit deze niet ook als hoe wat wie waar wanneer er ik je hij zij we naar bij om"),
	"no": strings.Fields("og i jeg det at en et den til er som på de med han av for ikke der var seg men har om vi hva hvor hvordan når eller skal"),
	"pt": strings.Fields("o a os as um uma uns umas e ou de do da dos das em no na nos nas com por para que como é são era foi se seu sua não mais mas ao à quando onde qual"),
	"ro": strings.Fields("și sau un o de la în cu pe din pentru că ce care cum este sunt era nu mai se al ai a ale când unde"),
	"ru": strings.Fields("и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по её мне было вот от меня о из ему когда где для это или если ли при чем"),
	"sv": strings.Fields("och i att det som en ett på är av för med till den de inte om har var men jag du vi han hon eller hur vad när vilken från"),
	"tr": strings.Fields("ve veya bir bu şu o da de ile için gibi mi mı ne nasıl neden çok daha en ki ama"),
}

// WithoutStopWords returns a tree without the stop words of some languages that are no conditions, if it has anything
// else. The places that they take stay.
func WithoutStopWords(n query.Node, languages []string) query.Node {
	return (*Vocabulary)(nil).withoutStopWords(n, languages)
}

func (v *Vocabulary) withoutStopWords(n query.Node, languages []string) query.Node {
	and, ok := n.(query.And)
	if !ok {
		return n
	}
	stop := func(t query.Term) bool {
		word, ok := t.Node.(query.Word)
		return ok && !t.Condition() && slices.ContainsFunc(languages, func(l string) bool { return v.isStop(l, word.Text) })
	}
	if !slices.ContainsFunc(and.Terms, func(t query.Term) bool { return !stop(t) }) {
		return n
	}
	var terms []query.Term
	skip := 0
	for _, t := range and.Terms {
		skip += t.Skip
		if stop(t) {
			skip++
			continue
		}
		if t.Skip = skip; len(terms) == 0 {
			t.Skip = 0
		}
		terms, skip = append(terms, t), 0
	}
	and.Terms = terms
	if len(terms) == 1 && len(and.Not) == 0 && len(and.Sites) == 0 && len(and.Filters) == 0 {
		return terms[0].Node
	}
	return and
}
