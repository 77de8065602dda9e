/** Words of a glossary in translations where grammar parts, moves or changes them. */
import t from 'tap'
import { SearchedText } from '../../src/glossary/uses-word.ts'
import { FORMS, OTHERS } from './held-out.ts'

const USED: [language: string, word: string, text: string][] = [
  // Separable verbs.
  ['de', 'anmelden', 'Melden Sie sich mit Ihrem Konto an'],
  ['de', 'anmelden', 'Um dich anzumelden, klicke hier'],
  ['de', 'hinzufügen', 'Fügen Sie eine Datei hinzu'],
  ['de', 'hochladen', 'Wird hochgeladen …'],
  ['de', 'auswählen', 'Wählen Sie ein Bild aus'],
  ['de', 'zurücksetzen', 'Setze dein Passwort zurück'],
  ['nl', 'toevoegen', 'Voeg een bestand toe'],
  // Compounds, umlaut.
  ['de', 'Vertrag', 'Alle Rahmenverträge'],
  ['de', 'Warenkorb', 'Warenkorbinhalt leeren'],
  // Clitics, broken plurals.
  ['ar', 'ملف', 'وملفاتهم'],
  ['ar', 'ملف', 'احفظه بملف جديد'],
  ['ar', 'حساب', 'لحسابك ولحساباتهم'],
  ['ar', 'صورة', 'بالصورة والصور'],
  ['ar', 'رابط', 'كل الروابط'],
  ['ar', 'رسالة', 'لديك رسائل جديدة'],
  ['ar', 'قائمة', 'كل القوائم'],
  ['ar', 'سؤال', 'لديك أسئلة'],
  ['ar', 'عنوان', 'قائمة العناوين'],
  // Consonant gradation.
  ['fi', 'kauppa', 'Kaupassasi on tuotteita'],
  ['fi', 'tieto', 'Omat tietosi'],
  ['fi', 'tila', 'Tallennustilaa ei ole'],
  // Softened and changed letters.
  ['pl', 'budżet', 'Jest w budżecie'],
  ['pl', 'błąd', 'Lista błędów'],
  ['pl', 'skrzynka', 'W skrzynce nic nie ma'],
  ['de', 'Medium', 'Alle Medien'],
  ['tr', 'ek', 'Ekli mesaj'],
  ['tr', 'kaydetmek', 'Kaydediliyor …'],
  ['tr', 'ekle', 'Dosya ekliyorsunuz'],
  ['tr', 'aramak', 'Arıyor …'],
  ['tr', 'kayıt', 'Kaydınız silindi'],
  ['tr', 'kitap', 'Kitaplığınızdaki kitabı'],
  ['tr', 'hesap', 'Hesabınızdan çıkın'],
  ['pt', 'imagem', '{{count}} imagens'],
  ['fr', 'canal', 'Tous les canaux'],
  ['he', 'חץ', 'סוג החץ'],
  ['he', 'ספרייה', 'כדי לערוך את הספרית'],
  ['hu', 'kép', 'A képeket töltse fel'],
  ['hu', 'kérelem', 'Az összes kérelmek'],
]

const UNUSED: [language: string, word: string, text: string][] = [
  ['de', 'anmelden', 'Abmelden'],
  ['de', 'anmelden', 'Der Name an der Tür'],
  ['de', 'Warenkorb', 'Ihr Einkaufswagen'],
  ['ar', 'ملف', 'احفظ المستند'],
  ['ar', 'حساب', 'كلمة المرور'],
  ['fi', 'kauppa', 'Myymäläsi tuotteet'],
  ['pl', 'budżet', 'Zaplanuj kwotę'],
  ['pl', 'błąd', 'Lista problemów'],
  ['tr', 'ek', 'Yeni dosya'],
  ['tr', 'kayıt', 'Dosyanız silindi'],
  ['tr', 'yanıt', 'Yanlış parola'],
  ['fi', 'kommentti', 'Suorita komento'],
  ['he', 'חץ', 'סוג הקו'],
  ['hu', 'kép', 'A fájlokat töltse fel'],
]

t.test('finds a word that grammar parts, moves or changes', async t => {
  for (const [language, word, text] of USED)
    t.ok(new SearchedText(text, language).uses(word), `${language} ${word}: ${text}`)
})

t.test('does not find a word in a text with others', async t => {
  for (const [language, word, text] of UNUSED)
    t.notOk(new SearchedText(text, language).uses(word), `${language} ${word}: ${text}`)
})

/** The least share of forms that are found, and the largest of look-alikes that count as the word. */
const LIMITS: Record<string, { recall: number; confused: number }> = {
  ...{
    fi: { recall: 0.98, confused: 0.18 },
    pl: { recall: 0.96, confused: 0.2 },
    ar: { recall: 0.89, confused: 0.37 },
  },
  ...{ de: { recall: 1, confused: 0.22 }, tr: { recall: 0.97, confused: 0.17 } },
}

t.test('finds words that were written down after the rules', async t => {
  for (const [language, lines] of Object.entries(FORMS)) {
    const uses = (word: string, text: string) => new SearchedText(text, language).uses(word)
    const forms = lines.split('\n').flatMap(line => {
      const [word, forms] = line.trim().split(': ') as [string, string]
      return forms.split(' ').map(form => [word, form] as const)
    })
    const others = OTHERS[language]!.split('\n').flatMap(line => {
      const [one, two] = line.trim().split(': ') as [string, string]
      return [[one, two] as const, [two, one] as const]
    })
    const recall = forms.filter(([word, form]) => uses(word, form)).length / forms.length
    const confused = others.filter(([one, two]) => uses(one, two)).length / others.length
    const says = `${language}: ${forms.length} forms, recall ${recall.toFixed(3)}, ${others.length} look-alikes, ${confused.toFixed(3)} confused`
    t.comment(says)
    t.ok(recall >= LIMITS[language]!.recall && confused <= LIMITS[language]!.confused, says)
  }
})
