/**
 * What teams build themselves: i18next-http-middleware over i18next-fs-backend, on Fastify. Its argument is a folder of
 * `<language>/<namespace>.json`.
 */
import Fastify from 'fastify'
import i18next from 'i18next'
import Backend from 'i18next-fs-backend'
import middleware from 'i18next-http-middleware'

const folder = process.argv[2]
await i18next.use(Backend).init({
  lng: 'en',
  preload: ['en'],
  ns: ['twenty', 'two-hundred'],
  backend: { loadPath: `${folder}/{{lng}}/{{ns}}.json` },
})
const app = Fastify()
app.get('/locales', middleware.getResourcesHandler(i18next, { maxAge: 0, cache: false }))
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
process.on('SIGTERM', () => process.exit(0))
