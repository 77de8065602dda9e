/** The licences of bundled packages, which every copy must contain. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//
/** Lines that differ between packages of one licence: its name and the copyright. */
const OWN_LINE = /^(?:.*\bcopyright\b.*(?:\(c\)|©|\d{4}).*|\W*(?:the )?(?:mit|isc) licen[cs]e\W*(?:\(mit\))?\W*)$/gim

/** Source files with bytes in esbuild's bundles. @param metafiles esbuild's, of the bundles in one package */
export const partsIn = (...metafiles) =>
  metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.keys(inputs).filter(file => inputs[file].bytesInOutput > 0))

/**
 * @param root the clone
 * @param files below it that have a part in a bundle
 * @returns each package with who holds its rights, below them the licence that they share
 */
export function noticesOf(root, files) {
  const folders = [...new Set(files.flatMap(file => PACKAGE.exec(file)?.[1] ?? []))].sort()
  const licences = new Map()
  for (const found of folders
    .map(folder => readPackage(join(root, folder)))
    .sort((a, b) => b.text.length - a.text.length)) {
    // A package without the text has named the licence.
    const same = [...licences.values()].find(({ licence }) => found.text === '' && licence === found.licence)
    const group = same ?? licences.get(words(found.text)) ?? { licence: found.licence, text: found.text, lines: [] }
    group.lines.push([found.name, ...found.holders].join('\n  '))
    licences.set(words(group.text), group)
  }
  const parts = [...licences.values()].map(
    ({ lines, text, licence }) => `${lines.sort().join('\n')}\n\n${text || licence}`,
  )
  return parts.join(`\n\n${'-'.repeat(72)}\n\n`)
}

function readPackage(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find(file => /^licen[cs]e(?:[.-]|$)/i.test(file))
  const whole = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').replaceAll('\r', '')
  const holders = (whole.match(OWN_LINE) ?? []).map(line => line.trim()).filter(line => /copyright/i.test(line))
  const by = typeof author === 'string' ? author : author?.name
  return {
    name: `${name} ${version} (${license})`,
    licence: license,
    holders: holders.length > 0 || !by ? holders : [by],
    text: whole
      .replace(OWN_LINE, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  }
}

const words = text => text.toLowerCase().replace(/\W+/g, ' ').trim()
