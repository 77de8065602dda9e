import t from 'tap'
import {
  computeInPlace,
  NeedsPrecomputing,
  reading,
  readTask,
  type SettledAnswer,
} from '../../src/project/precompute.ts'

interface Sum {
  key: string
  files: Buffer[]
}

const log: string[] = []
const of = {
  key: ({ key }: Sum) => key,
  *reads({ files }: Sum) {
    for (const file of files) {
      log.push(file.toString())
      yield file
    }
  },
  settle: ({ key, files }: Sum): SettledAnswer => {
    if (key === 'bad') {
      return () => {
        throw new Error('bad')
      }
    }
    const sum = Buffer.concat(files).toString()
    return () => sum
  },
}
const task = (key: string, ...files: string[]): Sum => ({ key, files: files.map(file => Buffer.from(file)) })

t.test('computes tasks until the allowance is used up', async t => {
  const settled = new Map<string, SettledAnswer>()
  t.strictSame(computeInPlace([task('a', '"x"'), task('b', '"y"')], settled, { work: 10_000 }, of), ['"x"', '"y"'])
  const tasks = [task('a'), task('c', '"1"', '"2"'), task('d', '"3"')]
  log.length = 0
  try {
    computeInPlace(tasks, settled, { work: 0 }, of)
    t.fail('it computes beyond its allowance')
  } catch (error) {
    t.ok(error instanceof NeedsPrecomputing)
    t.strictSame((error as NeedsPrecomputing<Sum>).tasks, tasks.slice(1), 'the settled task is not among them')
  }
  t.strictSame(log, ['"1"'], 'it reads no file after the first that is too large')
})

t.test('computes only the first task of a call after its time', async t => {
  const allowance = { work: 10_000, until: performance.now() - 1 }
  t.strictSame(computeInPlace([task('a', '"x"')], new Map(), allowance, of), ['"x"'])
  t.throws(() => computeInPlace([task('a'), task('b')], new Map(), allowance, of), NeedsPrecomputing)
})

t.test('throws the failure of a task each time', async t => {
  const settled = new Map<string, SettledAnswer>()
  for (const _ of [1, 2]) t.throws(() => computeInPlace([task('bad')], settled, { work: 1 }, of), { message: 'bad' })
})

t.test('reads the files of a task', async t => {
  const read = function* () {
    return { before: yield* reading(null), after: yield* reading(Buffer.from('x')) }
  }
  t.strictSame([...read()], [Buffer.from('x')])
  t.strictSame(readTask(read()), { before: null, after: Buffer.from('x') })
})
