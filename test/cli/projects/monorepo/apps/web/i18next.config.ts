import type { I18nextToolkitConfig } from 'i18next-cli'

enum Language {
  English = 'en-GB',
  French = 'fr',
}

const config: I18nextToolkitConfig = {
  locales: Object.values(Language),
  extract: {
    input: 'src/**/*.tsx',
    output: 'src/locales/{{lng}}/{{namespace}}.json',
    indentation: 4,
    sort: false,
  },
}

export default config
