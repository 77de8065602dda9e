/** The plainest load balancer: each request goes to the next server. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** @returns its address */
export async function alternate(t: Test, bases: readonly string[]): Promise<string> {
  let turn = 0
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked
    const base = bases[turn++ % bases.length]!
    const sent = request(`${base}${url}`, { method: method!, headers }, got => {
      answer.writeHead(got.statusCode!, got.headers)
      got.pipe(answer)
    })
    sent.on('error', () => answer.destroy())
    asked.pipe(sent)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
