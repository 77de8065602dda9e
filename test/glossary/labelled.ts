/** Pairs of words by language: forms of one word, and forms of two. */

/** Each line is a word, a colon, and its forms. */
const SAME: Record<string, string> = {
  fi: `ostoskori: ostoskorin ostoskoriin ostoskorissa ostoskoreja ostoskoreissa ostoskorisi
    tiedosto: tiedoston tiedostot tiedostoja tiedostojen tiedostoihin tiedostossa
    käyttäjä: käyttäjän käyttäjät käyttäjien käyttäjille
    asetus: asetuksen asetukset asetusten asetuksista
    salasana: salasanan salasanasi salasanoja salasanaa
    laite: laitteen laitteet laitteita laitteella
    kuva: kuvan kuvat kuvia kuvissa
    tilaus: tilauksen tilaukset tilausta tilauksesi
    viesti: viestin viestit viestejä viestissä
    osoite: osoitteen osoitteet osoitteesta`,
  pl: `koszyk: koszyka koszyku koszykiem koszyki koszyków
    plik: pliku pliki plików plikach plikami
    hasło: hasła hasłem haseł hasłami
    użytkownik: użytkownika użytkownicy użytkowników użytkownikiem
    wiadomość: wiadomości wiadomością wiadomościami
    książka: książki książek książkę książkami
    ustawienie: ustawienia ustawień ustawieniami ustawieniach
    zamówienie: zamówienia zamówień zamówieniu
    język: języka języki języków językach
    płatność: płatności płatnością
    projekt: projektu projekty projekcie
    konto: konta kont kontem koncie`,
  ar: `ملف: الملف ملفات الملفات ملفك بالملف
    سلة: السلة سلات سلتك
    مستخدم: المستخدم مستخدمين المستخدمين مستخدمون للمستخدم
    كلمة: الكلمة كلمات كلمتك والكلمات
    صفحة: الصفحة صفحات الصفحات صفحتك
    حساب: الحساب حسابك حسابات حسابي
    إعداد: الإعداد إعدادات الإعدادات إعداداتك
    تطبيق: التطبيق تطبيقات تطبيقك
    طلب: الطلب طلبات طلبك طلباتك
    فاتورة: الفاتورة فواتير فاتورتك
    شبكة: الشبكة شبكات شبكتك
    اشتراك: الاشتراك اشتراكات اشتراكك`,
  de: `Warenkorb: Warenkorbs Warenkörbe Warenkörben Warenkorbes
    Datei: Dateien
    Passwort: Passworts Passwortes Passwörter Passwörtern
    Benutzer: Benutzers Benutzern
    Einstellung: Einstellungen
    Konto: Kontos Konten
    Bild: Bilder Bildern Bildes Bilds
    Gerät: Geräte Geräten Geräts
    Ordner: Ordners Ordnern
    Name: Namen Namens
    Ergebnis: Ergebnisse Ergebnissen Ergebnisses
    Schlüssel: Schlüssels Schlüsseln
    Adresse: Adressen
    Nachricht: Nachrichten
    Zugang: Zugangs Zugänge Zugängen
    Seite: Seiten
    Haus: Hauses Häuser Häusern`,
  tr: `sepet: sepeti sepete sepetler sepetiniz sepetinizdeki sepetten
    dosya: dosyayı dosyalar dosyası dosyanın dosyalarınız
    kullanıcı: kullanıcılar kullanıcının kullanıcıya kullanıcıları
    kitap: kitabı kitaplar kitabın kitapta
    parola: parolanız parolanızı parolayı parolalar
    hesap: hesabı hesabınız hesaplar hesabınıza
    ayar: ayarlar ayarları ayarlardan
    renk: rengi renkler renginiz
    mesaj: mesajlar mesajınız mesajı
    ürün: ürünler ürünü ürününüz ürünlerin
    sayfa: sayfası sayfaya sayfalar sayfada
    resim: resimler resmi resimde`,
  en: `cart: carts cart's
    file: files
    category: categories category's
    box: boxes
    address: addresses
    setting: settings
    user: users user's users'
    key: keys
    status: statuses
    save: saves`,
}

/** Pairs that differ in meaning and look alike. */
const DIFFERENT: Record<string, string> = {
  fi: `kuva/kuvio, tili/tila, laite/laina, viesti/vieras, osoite/osasto, kori/kortti, tilaus/tilasto, salasana/sanasto,
    asetus/asema, käyttäjä/käytäntö, kieli/kierto, nimi/nimike, sivu/sisu, lista/lisä, maksu/makasiini, haku/hakemus`,
  pl: `plik/plus, koszyk/kosz, hasło/hasanie, konto/kontakt, język/jezioro, płatność/płytka, projekt/projektor, książka/książę,
    strona/strach, lista/listwa, zamówienie/zapytanie, wersja/wers, grupa/grupowanie, adres/adresat, obraz/obrót, użytkownik/użytek`,
  ar: `ملف/ملك, حساب/حسد, كلمة/كلب, صفحة/صحة, طلب/طالب, شبكة/شباك, تطبيق/طبق, مستخدم/خدمة, فاتورة/فتوى, إعداد/عدد, سلة/سؤال,
    صورة/سورة, رسالة/رسم, اشتراك/شركة, بريد/برد, عنوان/عين`,
  de: `Datei/Daten, Ordner/Ordnung, Konto/Kontakt, Warenkorb/Warenhaus, Bild/Bildung, Seite/Seide, Name/Nummer,
    Benutzer/Benutzung, Schlüssel/Schüssel, Gerät/Gericht, Zugang/Zug, Adresse/Advent, Passwort/Passage, Haus/Hase,
    Nachricht/Nacht, Einstellung/Ausstellung`,
  tr: `sepet/sepken, dosya/dost, hesap/hesaplama, renk/reklam, mesaj/mesafe, ürün/üretim, sayfa/sayı, kitap/kitle, ayar/ay,
    parola/parlak, kullanıcı/kullanım, resim/resmen, silgi/sil, dil/dilek, liste/listeleme, takım/takvim`,
  en: `cart/card, file/fill, user/use, box/boxer, status/state, key/keyboard, category/catalog, save/safe, bus/business,
    address/add, news/new, access/acces`,
}

export interface LabelledPair {
  words: [string, string]
  isSame: boolean
}

/** The pairs of each language. */
export const labelledPairs = (
  same: Record<string, string>,
  different: Record<string, string>,
): ReadonlyMap<string, LabelledPair[]> =>
  new Map(
    Object.keys(same).map(language => {
      const forms = same[language]!.split('\n').flatMap(line => {
        const [word = '', forms = ''] = line.trim().split(': ')
        return forms.split(' ').map((form): LabelledPair => ({ words: [word, form], isSame: true }))
      })
      const others = different[language]!.split(',').map((pair): LabelledPair => {
        return { words: pair.trim().split('/') as [string, string], isSame: false }
      })
      return [language, [...forms, ...others]]
    }),
  )

export const LABELLED = labelledPairs(SAME, DIFFERENT)
