/** The OWASP API Security Top 10 of 2023, item by item, against one real server; each file of this folder says what other tests hold already. */
import t from 'tap'
import { openScene, type Scene } from '../http/server.ts'
import { authentication } from './authentication.ts'
import { consumption } from './consumption.ts'
import { exposure } from './exposure.ts'
import { functions } from './functions.ts'
import { objects } from './objects.ts'
import { properties } from './properties.ts'
import { reach } from './reach.ts'

let scene: Scene

t.before(async () => {
  scene = await openScene(t)
})

t.test('API1: broken object level authorization', t => objects(t, scene))
t.test('API1: a token that is limited to some projects', t => reach(t, scene))
t.test('API2: broken authentication', t => authentication(t, scene))
t.test('API3: broken object property level authorization', t => properties(t, scene))
t.test('API4 and API6: resource consumption, sensitive flows', t => consumption(t, scene))
t.test('API5: broken function level authorization', t => functions(t, scene))
t.test('API7 to API10: requests of the server’s own, configuration, inventory, what others answer', t =>
  exposure(t, scene),
)
