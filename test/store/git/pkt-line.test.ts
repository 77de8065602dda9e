import t from 'tap'
import { arePktLines } from '../../../src/store/git/upload-pack.ts'

const line = (data: string) => (data.length + 4).toString(16).padStart(4, '0') + data

t.test('requests of git', async t => {
  const wanted = [
    `${line('command=ls-refs\n')}${line('agent=git/2.39')}0001${line('peel\n')}0000`,
    `${line(`want ${'a'.repeat(40)} side-band-64k\n`)}0000${line('done\n')}`,
    '0000',
    '0004',
    line('x'.repeat(65_516)),
    'FFF0'.padEnd(65_520, 'x'),
  ]
  for (const request of wanted) t.ok(arePktLines(Buffer.from(request)), request.slice(0, 40))
})

t.test('and what is none', async t => {
  const garbage = [
    '',
    'x',
    '000',
    'zzzz',
    '0002',
    '0003',
    '00000',
    '0005',
    '000ax',
    'ffff',
    '-001',
    '0x10',
    ' 004',
    '+004',
    '0000\n',
  ]
  for (const request of garbage) t.notOk(arePktLines(Buffer.from(request)), JSON.stringify(request))
})
