/** Words of a glossary in translations where grammar parts, moves or changes them. */
import t from 'tap'
import { SearchedText } from '../../src/glossary/uses-word.ts'

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
  // Consonant gradation.
  ['fi', 'kauppa', 'Kaupassasi on tuotteita'],
  ['fi', 'tieto', 'Omat tietosi'],
  ['fi', 'tila', 'Tallennustilaa ei ole'],
  // Softened and changed letters.
  ['pl', 'budżet', 'Jest w budżecie'],
  ['pl', 'błąd', 'Lista błędów'],
  ['tr', 'ek', 'Ekli mesaj'],
  ['tr', 'kayıt', 'Kaydınız silindi'],
  ['tr', 'kitap', 'Kitaplığınızdaki kitabı'],
  ['tr', 'hesap', 'Hesabınızdan çıkın'],
  ['pt', 'imagem', '{{count}} imagens'],
  ['fr', 'canal', 'Tous les canaux'],
  ['he', 'חץ', 'סוג החץ'],
  ['he', 'ספרייה', 'כדי לערוך את הספרית'],
  ['hu', 'kép', 'A képeket töltse fel'],
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
