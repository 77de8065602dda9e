/** Pairs that stemmers get wrong: changed consonants and vowels, clitics, lost vowels, and words that differ little. */
import { labelledPairs } from './labelled.ts'

const SAME: Record<string, string> = {
  // Consonant gradation, and stems in -s.
  fi: `katu: kadun kadut katuja kadulla
    pankki: pankin pankit pankkeja pankissa
    kauppa: kaupan kaupat kauppoja kaupassa
    tieto: tiedon tiedot tietoja tiedoista
    luku: luvun luvut lukuja luvussa
    hinta: hinnan hinnat hintoja
    ryhmä: ryhmän ryhmät ryhmiä
    yhteys: yhteyden yhteydet yhteyksiä yhteyttä
    mahdollisuus: mahdollisuuden mahdollisuudet mahdollisuuksia
    sähköposti: sähköpostin sähköpostit sähköposteja
    tunniste: tunnisteen tunnisteet tunnisteita
    avain: avaimen avaimet avaimia
    puhelin: puhelimen puhelimet puhelimia
    kone: koneen koneet koneita`,
  // Softened consonants of the locative, vowels that change or are lost.
  pl: `błąd: błędu błędy błędów błędem
    miesiąc: miesiąca miesiące miesięcy
    wniosek: wniosku wnioski wniosków
    przycisk: przycisku przyciski przyciskiem
    droga: drodze drogi dróg
    budżet: budżetu budżecie budżety
    adres: adresu adresie adresy
    serwer: serwera serwerze serwery
    artykuł: artykułu artykule artykuły
    zespół: zespołu zespole zespoły
    filtr: filtra filtrze filtry
    oferta: oferty ofercie ofert
    moduł: modułu module moduły
    klucz: klucza klucze kluczem
    zdjęcie: zdjęcia zdjęć zdjęciami
    strona: strony stronie stron`,
  // The article and one-letter words before it, and possessive endings.
  ar: `كتاب: الكتاب والكتاب بالكتاب كتابك للكتاب كتابها
    رسالة: الرسالة والرسالة بالرسالة رسالتك رسالتي للرسالة
    صورة: الصورة والصورة للصورة صورتك بالصورة
    مجلد: المجلد مجلدات والمجلدات للمجلد مجلدك
    بريد: البريد بريدك بالبريد والبريد
    مفتاح: المفتاح مفتاحك بالمفتاح
    رابط: الرابط رابطك بالرابط
    فئة: الفئة فئات والفئات للفئة
    عملية: العملية عمليات والعمليات بالعملية
    لغة: اللغة لغات باللغة لغتك`,
  // Umlaut, foreign plurals.
  de: `Vertrag: Vertrags Verträge Verträgen
    Buch: Buchs Bücher Büchern
    Raum: Räume Räumen Raums
    Land: Länder Ländern Landes
    Wort: Wörter Wörtern Worte
    Vorgang: Vorgänge Vorgängen Vorgangs
    Ablauf: Ablaufs Abläufe Abläufen
    Fach: Fächer Fächern
    Gruß: Grüße Grüßen
    Tag: Tags Tage Tagen
    Logo: Logos
    Video: Videos
    Firma: Firmen
    Thema: Themen Themas
    Kamera: Kameras
    Ereignis: Ereignisse Ereignissen
    Zeichen: Zeichens
    Version: Versionen
    Plan: Pläne Plänen`,
  // Vowel harmony, softened consonants, lost vowels.
  tr: `ağaç: ağacı ağaçlar ağaca
    bağlantı: bağlantısı bağlantıyı bağlantılar bağlantıları
    kayıt: kaydı kayıtlar
    şehir: şehri şehirler
    metin: metni metinler
    içerik: içeriği içerikler içeriğe
    başlık: başlığı başlıklar başlığın
    klasör: klasörü klasörler klasöre klasörde
    belge: belgeyi belgeler belgesi belgede
    görev: görevi görevler göreve
    konum: konumu konumlar konuma
    durum: durumu durumlar durumda
    adres: adresi adresler adresiniz adresinize
    proje: projeyi projeler projede projenin
    takvim: takvimi takvimler takvime
    grup: grubu gruplar gruba
    cevap: cevabı cevaplar cevaba`,
  fr: `fichier: fichiers
    dossier: dossiers
    option: options
    notification: notifications
    canal: canaux
    journal: journaux
    réseau: réseaux
    niveau: niveaux
    jeu: jeux
    clé: clés
    cluster: clusters
    adresse: adresses l’adresse
    utilisateur: utilisateurs l'utilisateur
    compte: comptes
    connecté: connectée connectés`,
  es: `canal: canales
    imagen: imágenes
    configuración: configuraciones
    archivo: archivos
    red: redes
    error: errores
    clave: claves
    cuenta: cuentas
    usuario: usuarios
    vez: veces
    botón: botones`,
  pt: `configuração: configurações
    imagem: imagens
    canal: canais
    papel: papéis
    nível: níveis
    conta: contas
    arquivo: arquivos
    opção: opções
    mês: meses
    ação: ações
    cartão: cartões`,
  it: `impostazione: impostazioni
    flusso: flussi
    bacheca: bacheche
    utente: utenti l'utente
    chiave: chiavi
    luogo: luoghi
    pagina: pagine
    immagine: immagini
    canale: canali`,
  ru: `категория: категории категорий категорию категориям
    значение: значения значений значению
    файл: файла файлы файлов файле
    список: списка списки списков
    ссылка: ссылки ссылок ссылку
    версия: версии версий
    сеть: сети сетей
    ключ: ключа ключи ключей
    пользователь: пользователя пользователи пользователей`,
  uk: `рахунок: рахунки рахунків рахунка
    категорія: категорії категорій
    файл: файлу файли файлів
    ключ: ключа ключі ключів
    версія: версії версій`,
  sv: `regel: regler regeln reglerna
    fil: filer filen filerna
    nyckel: nycklar nyckeln
    lista: listor listan listorna
    schema: scheman
    medlem: medlemmar medlemmarna
    enkät: enkäter enkäten
    bilaga: bilagor bilagan
    användare: användaren användarna`,
  da: `modtager: modtagere modtageren modtagerne
    regel: regler reglen reglerne
    bruger: brugere brugeren
    fil: filer filen filerne
    billede: billeder billedet
    skabelon: skabeloner skabelonen
    tidsplan: tidsplaner`,
  nl: `vraag: vragen
    actie: acties
    sjabloon: sjablonen
    bestand: bestanden
    versie: versies
    kanaal: kanalen
    gebruiker: gebruikers`,
  cs: `částka: částky částku částek
    soubor: souboru soubory souborů
    účet: účtu účty účtů
    položka: položky položek položku
    klíč: klíče klíčů
    uživatel: uživatele uživatelů`,
  hu: `névtér: névterek névteret névtérben
    fürt: fürtök fürtöt fürtben
    fájl: fájlok fájlt fájlban fájlokat
    felhasználó: felhasználók felhasználót felhasználónak
    kép: képek képet képeket
    kulcs: kulcsok kulcsot
    művelet: műveletek műveletet
    csomópont: csomópontok csomópontban
    beállítás: beállítások beállítást beállításokat`,
  he: `הודעה: הודעות הודעת
    תמונה: תמונות תמונת
    משתמש: משתמשים
    חֶשְׁבּוֹן: חשבון חשבונות
    ספרייה: ספריות ספריית`,
  fa: `سند: سندها سندهای
    اعلان: اعلان‌ها اعلان‌های
    مجموعه: مجموعه‌ها`,
}

const DIFFERENT: Record<string, string> = {
  fi: `palvelin/palvelu, väri/vara, kohde/kohta, pankki/panos, luku/lukko, avain/avaus, kone/koneisto, tieto/tiede, katu/katto,
    ryhmä/ryhti, yhteys/yhtiö, hinta/hinku, kauppa/kauha, puhelin/puhelu, tila/tili, tunniste/tunti`,
  pl: `konto/koniec, konto/końca, zadanie/żądanie, adres/adapter, sklep/sklejka, serwer/serwis, oferta/ofiara, moduł/moda, klucz/kluska,
    zdjęcie/zajęcie, droga/drogeria, artykuł/artysta, wniosek/wnuk, strona/struna, zespół/zespawanie, budżet/buda`,
  ar: `فئة/في, عملية/عملة, ميزانية/ميزة, حالة/حالي, محل/محلي, كتاب/كاتب, رسالة/رسول, مجلد/مجلس, مفتاح/فتح, رابط/ربط, لغة/لغز, قائمة/قيمة,
    نسخة/نص, مكتب/كتب, صورة/صدر, بريد/برود`,
  de: `Logo/Log, Demo/dem, Konto/Kontext, Raum/Rahmen, Land/Lager, Zeichen/Zeichnung, Thema/Therme, Team/Tee, Fach/Fackel, Text/Textil,
    Kunde/Kunst, Wert/Werbung, Kurs/Kurve, Memo/Memoiren, Video/Videothek, Buch/Bucht, Tag/Tagung`,
  tr: `konu/konum, durum/durak, kayıt/kayık, belge/bel, etiket/etik, metin/metro, hedef/hediye, görev/görüntü, adres/adet, proje/profil,
    cevap/ceviz, başlık/başkan, takvim/takım, içerik/için, klasör/klasik, ad/at`,
  fr: `option/optique, canal/canapé, fichier/fiche, valeur/valise, jeu/jeune, dossier/dos, réseau/réserve, moi/mois, cours/courant`,
  es: `canal/canción, clave/clavo, cuenta/cuento, red/rey, error/era, archivo/arco, imagen/imán`,
  pt: `conta/conto, opção/ópera, canal/caneta, papel/papagaio, nível/navio, cartão/carta`,
  it: `pagina/pagano, canale/cane, luogo/lungo, chiave/chiodo, utente/utile`,
  ru: `ключ/клюв, версия/верста, файл/фаза, сеть/сетка, список/спички, ссылка/ссора, категория/каторга`,
  uk: `рахунок/рахівник, ключ/клоп, файл/фаза, версія/верства`,
  sv: `regel/regi, lista/list, nyckel/nyck, fil/film, bild/bilda`,
  da: `regel/regi, fil/film, bruger/brug, billede/billet`,
  cs: `účet/účes, částka/část, klíč/klid, položka/poloha`,
  nl: `vraag/vrij, actie/acteur, bestand/best, versie/vers, kanaal/kan`,
  fa: `سند/سنگ, اعلان/اعلا, مجموعه/مجموع`,
  hu: `kép/képes, kulcs/kullancs, fájl/fáj, fürt/fürdő`,
  he: `הודעה/הודו, תמונה/תמורה, משתמש/משתנה, ספרייה/סיפור`,
}

/** By language: for the five of the labelled pairs as many again, for others a few. */
export const HARD_WORDS = labelledPairs(SAME, DIFFERENT)
