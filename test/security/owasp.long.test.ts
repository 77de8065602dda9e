/** The OWASP API Security Top 10 of 2023 against one server. Each file of this folder names the further tests. */
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

t.test('API1: hides the objects of other organizations', t => objects(t, scene))
t.test('API1: hides other projects from a limited token', t => reach(t, scene))
t.test('API2: protects sessions, passwords and tokens', t => authentication(t, scene))
t.test('API3: protects the properties of objects', t => properties(t, scene))
t.test('API4 and API6: limits resource consumption and sensitive flows', t => consumption(t, scene))
t.test('API5: refuses writes without the right', t => functions(t, scene))
t.test('API7 to API10: limits outgoing requests, configuration and unknown routes', t => exposure(t, scene))
