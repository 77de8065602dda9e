/** Words that were written down after the rules of the stemmers, to measure them: forms of a word, and other words. */

/** Each line is a word, a colon, and its forms. */
export const FORMS: Record<string, string> = {
  fi: `varaus: varauksen varaukset varauksia varaukseen varauksesi
    hakemus: hakemuksen hakemukset hakemuksia hakemuksessa
    lomake: lomakkeen lomakkeet lomakkeita lomakkeella
    kirje: kirjeen kirjeet kirjeitä
    raportti: raportin raportit raportteja raportissa
    kuukausi: kuukauden kuukaudet kuukausia kuukaudessa
    vuosi: vuoden vuodet vuosia vuotta
    tapahtuma: tapahtuman tapahtumat tapahtumia tapahtumaan
    liite: liitteen liitteet liitteitä liitteenä
    arvo: arvon arvot arvoja arvosta
    numero: numeron numerot numeroita numerosi
    palvelin: palvelimen palvelimet palvelimia palvelimella
    oikeus: oikeuden oikeudet oikeuksia
    kaupunki: kaupungin kaupungit kaupunkeja kaupungissa
    muistio: muistion muistiot muistioita
    vastaus: vastauksen vastaukset vastauksia vastaukseesi
    ikkuna: ikkunan ikkunat ikkunoita ikkunassa`,
  pl: `zakładka: zakładki zakładek zakładce zakładkę
    notatka: notatki notatek notatce notatkami
    termin: terminu terminie terminy terminów
    usługa: usługi usłudze usług usługami
    okno: okna oknie okien oknami
    widok: widoku widoki widoków widokiem
    rachunek: rachunku rachunki rachunków
    kategoria: kategorii kategorie kategorię kategoriami
    pole: pola pól polu polami
    dokument: dokumentu dokumencie dokumenty dokumentów
    wydatek: wydatku wydatki wydatków
    etykieta: etykiety etykiecie etykiet etykietę
    klient: klienta kliencie klienci klientów
    kwota: kwoty kwocie kwot kwotę
    zapytanie: zapytania zapytań zapytaniem
    urządzenie: urządzenia urządzeń urządzeniu
    powód: powodu powodzie powody powodów
    raport: raportu raporcie raporty`,
  ar: `موعد: الموعد مواعيد المواعيد موعدك
    وثيقة: الوثيقة وثائق الوثائق وثيقتك
    عميل: العميل عملاء العملاء
    صندوق: الصندوق صناديق الصناديق
    مفتاح: المفتاح مفاتيح المفاتيح
    تذكرة: التذكرة تذاكر التذاكر
    علامة: العلامة علامات علامتك
    حدث: الحدث أحداث الأحداث
    نموذج: النموذج نماذج النماذج
    موقع: الموقع مواقع المواقع موقعك
    شهر: الشهر أشهر شهور
    عملية: العملية عمليات العمليات
    بريد: البريد بريدك بريدي
    مجموعة: المجموعة مجموعات مجموعتك
    هاتف: الهاتف هواتف هاتفك
    وظيفة: الوظيفة وظائف الوظائف
    زر: الزر أزرار الأزرار
    حقل: الحقل حقول الحقول`,
  de: `Auftrag: Aufträge Aufträgen Auftrags
    Startdatum: Startdaten Startdatums
    Kriterium: Kriterien Kriteriums
    Zahlung: Zahlungen
    Hinweis: Hinweise Hinweisen Hinweises
    Rabatt: Rabatte Rabatten Rabatts
    Spalte: Spalten
    Verlauf: Verläufe Verlaufs
    Kalender: Kalendern Kalenders
    Feld: Felder Feldern Feldes
    Vertrag: Verträge Verträgen Vertrages
    Lieferant: Lieferanten
    Kommentar: Kommentare Kommentaren Kommentars
    Ereignis: Ereignisse Ereignissen
    Bericht: Berichte Berichten Berichts
    Platz: Plätze Plätzen Platzes
    Station: Stationen
    Ort: Orte Orten Ortes
    Filter: Filtern Filters
    Raum: Räume Räumen Raumes
    Schalter: Schaltern Schalters
    Abschnitt: Abschnitte Abschnitten Abschnitts
    Stichwort: Stichwörter Stichworts
    Wohnung: Wohnungen
    Zentrum: Zentren Zentrums`,
  tr: `randevu: randevuyu randevular randevunuz randevuda
    mesaj: mesajı mesajlar mesajınız mesajda
    hizmet: hizmeti hizmetler hizmetimiz hizmetlerin
    indirim: indirimi indirimler indirimde
    etkinlik: etkinliği etkinlikler etkinliğe etkinliğin
    belge: belgeyi belgeler belgenin belgeleriniz
    sunucu: sunucuyu sunucular sunucuya sunucuda
    tablo: tabloyu tablolar tablonun tabloda
    alan: alanı alanlar alana alanında
    üye: üyeyi üyeler üyenin üyelerin
    yorum: yorumu yorumlar yorumunuz yoruma
    kod: kodu kodlar kodunuz kodla
    liste: listeyi listeler listede listenizi
    anahtar: anahtarı anahtarlar anahtarın
    görüntü: görüntüyü görüntüler görüntüsü
    cevap: cevabı cevaplar cevabınız cevabın
    sütun: sütunu sütunlar sütuna
    talep: talebi talepler talebiniz
    isim: ismi isimler isminiz
    ekran: ekranı ekranlar ekranda
    mektup: mektubu mektuplar`,
}

/** Pairs of words that differ, though they look alike. */
export const OTHERS: Record<string, string> = {
  fi: `varaus: varasto
    hakemus: hakemisto
    lomake: loma
    kirje: kirja
    raportti: raja
    kuukausi: kuume
    tapahtuma: tapaus
    liite: liike
    arvo: arvio
    numero: nuotti
    palvelin: palkka
    oikeus: oikaisu
    kaupunki: kauppa
    vastaus: vastus
    ikkuna: ikä
    muistio: muoti
    vuosi: vuoro`,
  pl: `zakładka: zakład
    notatka: notariusz
    termin: terminal
    usługa: usterka
    okno: okres
    widok: widelec
    rachunek: rachuba
    kategoria: katalog
    pole: polityka
    dokument: dochód
    wydatek: wydanie
    etykieta: etyka
    klient: klimat
    kwota: kwiat
    zapytanie: zapis
    urządzenie: urząd
    powód: powrót
    raport: rabat`,
  ar: `موعد: موضع
    وثيقة: ثقة
    عميل: عمل
    صندوق: صديق
    مفتاح: فتح
    تذكرة: ذاكرة
    علامة: علم
    حدث: حديث
    نموذج: نموذجي
    موقع: وقع
    شهر: شعر
    بريد: بلد
    مجموعة: مجتمع
    هاتف: هدف
    وظيفة: نظيفة
    حقل: حفل
    زر: زائر
    عملية: علمية`,
  de: `Auftrag: Auftritt
    Zahlung: Zählung
    Hinweis: Beweis
    Rabatt: Rabe
    Spalte: Spaß
    Verlauf: Verlust
    Kalender: Kandidat
    Feld: Fels
    Vertrag: Vortrag
    Lieferant: Lieferung
    Kommentar: Kommando
    Ereignis: Ergebnis
    Bericht: Gericht
    Platz: Platte
    Station: Statistik
    Ort: Art
    Filter: Film
    Raum: Rahmen
    Schalter: Schal
    Stichwort: Stich
    Wohnung: Währung`,
  tr: `randevu: rant
    mesaj: mesai
    hizmet: himaye
    indirim: inanç
    etkinlik: etiket
    belge: bölge
    sunucu: sonuç
    tablo: taban
    alan: alarm
    üye: ünite
    yorum: yol
    kod: konu
    liste: lisans
    anahtar: anayasa
    görüntü: görev
    cevap: ceza
    sütun: süt
    talep: tatil
    isim: işlem
    ekran: eklenti
    mektup: mekan`,
}
