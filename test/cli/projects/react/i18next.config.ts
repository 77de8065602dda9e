import { defineConfig } from 'i18next-cli'
import { LANGUAGES } from './src/languages'

export default defineConfig({
  locales: [...LANGUAGES],
  extract: {
    input: ['src/**/*.{ts,tsx}'],
    output: 'public/locales/{{language}}/{{namespace}}.json',
    defaultNS: 'common',
  },
})
