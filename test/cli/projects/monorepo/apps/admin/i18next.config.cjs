module.exports = {
  locales: ['de', 'en'],
  extract: {
    input: ['src/**/*.ts'],
    output: 'locales/{{language}}.json',
    mergeNamespaces: true,
    primaryLanguage: 'de',
  },
}
