package document

import (
	"strings"
	"testing"
)

func TestLanguageByText(t *testing.T) {
	for _, c := range []struct{ want, text string }{
		{"en", "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, and that is the end of it."},
		{"de", "Die Stadt liegt an der Elbe und ist eine der ältesten des Landes. Von der Burg ist nicht viel geblieben, und auch das Tor ist nicht mehr da, das auf dem Platz für den Markt stand."},
		{"fr", "La ville est dans une vallée, et les rues sont étroites. Pour les voyageurs qui viennent avec des enfants, une halte sur la place est agréable par beau temps, et le vin est bon."},
		{"es", "El río cruza la ciudad y los barcos salen por la mañana. Para los viajeros con más tiempo, las islas son como un jardín, y el mar con su color es lo que más gusta."},
		{"it", "Il fiume attraversa la città e gli abitanti vivono con il ritmo della natura. Per il viaggiatore che sale alla torre, il sole nel pomeriggio è bello, e le vie della città sono piene di vita."},
		// Neighbors of the languages with common words must not be taken for them.
		{"pt", "O rio atravessa a cidade e os barcos saem pela manhã. Para os viajantes com mais tempo, as ilhas são um jardim, e não há quem não goste de passear em frente ao mar, onde o vento é sempre fresco e as tardes são longas."},
		{"ru", "Река пересекает город, и корабли отходят утром. Для путешественников, у которых есть время, острова похожи на сад, и нет никого, кто не любил бы гулять у моря, где ветер всегда свеж, а вечера длинны и теплы, как летом."},
		{"ja", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という人間中で一番獰悪な種族であったそうだ。この書生というのは時々我々を捕えて煮て食うという話である。しかしその当時は何という考もなかったから別段恐しいとも思わなかった。"},
		{"", "short text"},
		{"", "12 34 56"},
	} {
		if got := parseWith(t, c.text, "text/plain; charset=utf-8", Rules{}).Lang; got != c.want {
			t.Errorf("%.30s: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLanguageOfNeighborsIsNotClaimed(t *testing.T) {
	for _, c := range []struct{ not, text string }{
		{"nl", "Die stad lê in die vallei en die mense het dit goed. Van die ou kasteel het nie veel oorgebly nie, met die muur wat dit eens omring het en dat is jammer."},
		{"es", "El riu travessa la ciutat i els vaixells surten al matí. Per als viatgers amb més temps, les illes són com un jardí, i la mar amb el seu color és el que més agrada."},
		{"ru", "Реката пресича града и корабите тръгват сутрин. За пътниците с повече време островите са като градина, и няма никой, който да не обича да се разхожда край морето."},
		{"de", "Byen ligger i dalen, og den er en af de ældste i landet. Der er ikke meget tilbage af den gamle borg, og den port, der stod på torvet, er der heller ikke mere."},
		{"it", "Kota ini terletak di lembah dan di tepi sungai. Di sana ada sebuah rumah tua di atas bukit, dan di bawahnya ada pasar yang ramai di pagi hari, tempat orang membeli sayur."},
		{"fr", "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam qui ipsorum lingua Celtae et nostra Galli appellantur et hi omnes lingua et institutis et legibus inter se differunt."},
	} {
		if got := parseWith(t, c.text, "text/plain; charset=utf-8", Rules{}).Lang; got == c.not {
			t.Errorf("%.30s is taken for %s", c.text, got)
		}
	}
}

func TestStopwordsVote(t *testing.T) {
	stop := map[string]string{"the": "en", "der": "de", "und": "de", "zzz": ""}
	for text, want := range map[string]string{
		"the der the": "en", "der und the": "de", "the der": "", "zzz zzz zzz the": "en", "zzz": "",
	} {
		if got := parseWith(t, text, "text/plain", Rules{Stopwords: stop}).Lang; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	d := parseWith(t, "<html lang=pl>the the", "text/html", Rules{Stopwords: stop})
	if d.Lang != "pl" {
		t.Errorf("the document says pl, got %q", d.Lang)
	}
}

// TestLanguageByScript: a page of commands and names in Latin letters is in the language that is written around them.
func TestLanguageByScript(t *testing.T) {
	commands := strings.Repeat("the apt-get install of packages is in the file and to be read with less. ", 4)
	for want, text := range map[string]string{
		"ja": "このパッケージをインストールするには次のコマンドを実行します。設定ファイルを編集してください。再起動が必要です。",
		"zh": "要安装这个软件包请运行下面的命令。然后编辑配置文件并重新启动系统服务。如果出现错误请查看日志文件。",
		"ko": "이 패키지를 설치하려면 다음 명령을 실행하고 설정 파일을 편집한 뒤 시스템을 다시 시작하십시오 그리고 로그 파일을 확인하십시오 문제가 생기면 알려 주십시오",
		"ru": "чтобы установить этот пакет выполните следующую команду и измените файл настройки затем перезапустите службу и посмотрите журнал если возникнут ошибки",
		"uk": "щоб встановити цей пакунок виконайте наступну команду і змініть файл налаштувань потім перезапустіть службу і перегляньте журнал її помилок",
		"bg": "за да инсталирате този пакет изпълнете следната команда и променете файла с настройките след това рестартирайте услугата и вижте дневника със съобщенията",
		"el": "για να εγκαταστήσετε αυτό το πακέτο εκτελέστε την ακόλουθη εντολή και αλλάξτε το αρχείο ρυθμίσεων μετά κάντε επανεκκίνηση της υπηρεσίας",
		"he": "כדי להתקין חבילה זו הריצו את הפקודה הבאה וערכו את קובץ ההגדרות לאחר מכן הפעילו מחדש את השירות ובדקו את היומן",
		"fa": "برای نصب این بسته دستور زیر را اجرا کنید و پرونده پیکربندی را ویرایش کنید سپس خدمت را دوباره راه\u200cاندازی کنید و گزارش را ببینید",
		"ar": "لتثبيت هذه الحزمة نفذ الأمر التالي ثم عدل ملف الإعدادات وأعد تشغيل الخدمة وانظر في السجل إن ظهرت أخطاء",
		"th": "ในการติดตั้งแพ็กเกจนี้ให้เรียกใช้คำสั่งต่อไปนี้แล้วแก้ไขไฟล์การตั้งค่า",
		"en": "The word is 日本語 in Japanese and русский in Russian.",
	} {
		if got := parseWith(t, commands+text, "text/plain; charset=utf-8", Rules{}).Lang; got != want {
			t.Errorf("%.40s: %q, want %q", text, got, want)
		}
	}
}
