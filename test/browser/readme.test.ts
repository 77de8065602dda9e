/** README's pictures, from real pages: `UPDATE=1 npm run test:browser -- test/browser/readme.test.ts`. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { noBrowser } from './browser.ts'
import { openScene, signedIn } from './scene.ts'

const root = join(import.meta.dirname, '../..')
const SIZE = { width: 1440, height: 810 }

/** By file name: the address, and what must stand there. */
const PICTURES: Record<string, { at: string; shows: readonly RegExp[] }> = {
  project: { at: '/#/projects/web', shows: [/Deutsch/] },
  editor: {
    at: '/#/projects/web/de/checkout?key=pay&with=pl',
    shows: [/What changed in the source/, /The first texts/],
  },
  compare: { at: '/#/projects/web/compare?from=v1', shows: [/Order and pay/] },
}

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const renamed = { organizationId: acme.id, data: { name: 'Acme' } }
  await server.must('POST', '/api/auth/organization/update', { as: acme.owner, body: renamed })
  await server.must('PATCH', web, { key, body: { name: 'Web shop' } })
  await server.must('POST', `${web}/releases`, { key, body: { name: 'v1' } })
  await server.must('PUT', `${web}/bundles/en/checkout/pay`, { key, body: { value: 'Order and pay' } })
  await server.must('PUT', `${web}/bundles/en/common/greeting`, { key, body: { value: 'Welcome back, {{name}}!' } })
  await server.must('PUT', `${web}/bundles/de/checkout/terms`, {
    key,
    body: { value: 'Ich akzeptiere die <1>AGB</1>' },
  })
  const readme = readFileSync(join(root, 'README.md'), 'utf8')

  for (const [name, { at, shows }] of Object.entries(PICTURES))
    t.test(name, async t => {
      const page = await signedIn(t, scene, { at })
      await page.setViewportSize(SIZE)
      for (const text of shows) await page.getByText(text).first().waitFor()
      const file = `docs/screenshots/${name}.png`
      t.ok(readme.includes(`(${file})`), `README shows ${file}`)
      if (process.env.UPDATE) {
        mkdirSync(join(root, 'docs/screenshots'), { recursive: true })
        await page.screenshot({ path: join(root, file) })
      }
      const header = readFileSync(join(root, file))
      t.strictSame([header.readUInt32BE(16), header.readUInt32BE(20)], [SIZE.width, SIZE.height], 'a PNG of its size')
    })
})
