import { defineConfig } from 'i18next-cli'

export default defineConfig({
  locales: ['en', 'de'],
  extract: {
    input: ['app/**/*.tsx'],
    output: (language, namespace) => `app/i18n/locales/${language}/${namespace ?? 'translation'}.json`,
    keySeparator: false,
    nsSeparator: false,
    sort: 'locize',
    indentation: '\t',
  },
})
