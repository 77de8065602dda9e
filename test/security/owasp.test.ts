/** The OWASP API Security Top 10 of 2023, item by item, against one real server; each file of this folder says what other tests hold already. */
import t from 'tap'
import { openScene, type Scene } from '../http/server.ts'
import { functions } from './functions.ts'
import { objects } from './objects.ts'

let scene: Scene

t.before(async () => {
  scene = await openScene(t)
})

t.test('API1: broken object level authorization', t => objects(t, scene))
t.test('API5: broken function level authorization', t => functions(t, scene))
