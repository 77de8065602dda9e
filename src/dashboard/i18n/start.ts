/** The texts of the dashboard: an i18next project in Parlance's own layout, loaded by language and namespace. */
import { createInstance, type i18n } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { INTERPOLATION, SENTENCE_VALUES } from './sentence-values.ts'

/** The languages of the dashboard, each by its own name. */
export const DASHBOARD_LANGUAGES = { en: 'English', de: 'Deutsch', pl: 'Polski', ar: 'العربية', ja: '日本語' } as const
export type DashboardLanguage = keyof typeof DASHBOARD_LANGUAGES

const files = import.meta.glob<Record<string, unknown>>('../locales/*/*.json', { import: 'default' })

const CHOICE = 'parlance.language'

/** The reader's choice, else the browser's language, else English. */
export function spokenHere(): DashboardLanguage {
  const wanted = [
    localStorage.getItem(CHOICE),
    new URLSearchParams(location.search).get('lang'),
    ...navigator.languages,
  ]
  for (const tag of wanted) {
    const [language] = (tag ?? '').split('-')
    if (language !== undefined && language in DASHBOARD_LANGUAGES) return language as DashboardLanguage
  }
  return 'en'
}

/** i18next over {@link files}; texts of a namespace that a language lacks are English. */
export async function startTexts(): Promise<i18n> {
  const texts = createInstance()
  texts.use(initReactI18next)
  texts.use({
    type: 'backend',
    init() {},
    read(language: string, namespace: string, done: (error: unknown, data: unknown) => void) {
      const load = files[`../locales/${language}/${namespace}.json`]
      if (!load) return done(null, {})
      load().then(
        data => done(null, data),
        error => done(error, null),
      )
    },
  })
  texts.use(SENTENCE_VALUES)
  texts.on('languageChanged', language => {
    document.documentElement.lang = language
    document.documentElement.dir = texts.dir(language)
  })
  await texts.init({
    lng: spokenHere(),
    fallbackLng: 'en',
    supportedLngs: Object.keys(DASHBOARD_LANGUAGES),
    ns: ['common'],
    defaultNS: 'common',
    interpolation: INTERPOLATION,
    // An untranslated text is "" in Parlance's files.
    returnEmptyString: false,
  })
  return texts
}

/** Changes the language of the dashboard now and for later visits. */
export async function speak(texts: i18n, language: DashboardLanguage): Promise<void> {
  localStorage.setItem(CHOICE, language)
  await texts.changeLanguage(language)
}
