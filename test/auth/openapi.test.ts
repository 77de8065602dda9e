import t from 'tap'
import { openAuth } from './open.ts'

t.test('the document shows what can be reached', async t => {
  const { auth, visitor } = await openAuth(t)
  const document = (await auth.openapi()) as {
    paths: Record<string, Record<string, object>>
    components: { schemas: Record<string, object> }
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => ({ method, path })),
  )
  t.ok(operations.length > 30)
  for (const { method, path } of operations) {
    const { status, body } = await visitor().request(method.toUpperCase(), path)
    t.notOk(status === 404, `${method} ${path}`)
    if (status >= 400) t.type(body.error, 'string', path)
  }
  const references = JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)
  for (const [, name = ''] of references) t.ok(document.components.schemas[name], name)
  t.notMatch(JSON.stringify(document), /bearerAuth|parlance\.invalid/)
})
