/** A program: `build-dashboard.mjs <clone>` builds `dist/dashboard/` with Vite and compresses each file. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { noticesOf } from './notices.mjs'

const [root] = process.argv.slice(2)
const folder = join(root, 'dist/dashboard')
/** Renamed when it is complete: a server may start meanwhile. */
const made = `${folder}.${process.pid}.tmp`
const INCOMPRESSIBLE = /\.(woff2|webp|png)$/

process.env.NODE_ENV = 'production'
try {
  const { build } = await import('vite')
  const configFile = join(root, 'src/dashboard/vite.config.ts')
  const { output } = await build({ configFile, logLevel: 'warn', build: { outDir: made } })
  const parts = output.flatMap(({ modules = {} }) =>
    Object.keys(modules).filter(file => modules[file].renderedLength > 0),
  )
  const files = parts.map(file => relative(root, file.replace(/\?.*/, '')))
  writeFileSync(join(made, 'assets/third-party.txt'), `${noticesOf(root, files)}\n`)
  const entries = readdirSync(made, { recursive: true, withFileTypes: true })
  await Promise.all(entries.filter(entry => entry.isFile()).map(entry => compress(join(entry.parentPath, entry.name))))
  rmSync(folder, { recursive: true, force: true })
  renameSync(made, folder)
} finally {
  rmSync(made, { recursive: true, force: true })
}

async function compress(file) {
  if (INCOMPRESSIBLE.test(file)) return
  const bytes = readFileSync(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }))
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}
