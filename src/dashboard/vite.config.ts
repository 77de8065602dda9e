import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'

/** The server for requests that `npm run dev` does not serve itself. */
const server = process.env.PARLANCE_URL ?? 'http://127.0.0.1:3000'

/**
 * The server accepts cookie writes from its own origin only. The proxy rewrites the origin of the dashboard's
 * requests, and no other's.
 */
const proxy: ProxyOptions = {
  target: server,
  changeOrigin: true,
  // The dashboard has a folder of that name, too.
  bypass: ({ headers, url }) => (headers['sec-fetch-dest'] === 'script' ? url : null),
  configure: proxy =>
    proxy.on('proxyReq', (sent, { headers }) => {
      if (headers.origin === `http://${headers.host}`) sent.setHeader('origin', new URL(server).origin)
    }),
}

/**
 * React Aria injects a style element unless an element with this id exists. The dashboard's policy refuses style
 * elements.
 */
const nameStyles: Plugin = {
  name: 'name-styles',
  transformIndexHtml: {
    order: 'post',
    handler: html => html.replace('<link rel="stylesheet"', '<link id="react-aria-pressable-style" rel="stylesheet"'),
  },
}

/**
 * `url(lucide:check)` in a style sheet is that icon as an image. As a mask it has the colour of the words beside it and
 * needs no element.
 */
const icons: Plugin = {
  name: 'icons',
  enforce: 'pre',
  async transform(code, id) {
    if (!id.endsWith('.css')) return
    let css = code
    for (const [url, name] of code.matchAll(/url\(lucide:([\w-]+)\)/g)) css = css.replace(url, await iconUrl(name!))
    return css
  },
}

async function iconUrl(name: string): Promise<string> {
  const { __iconData } = await import(`lucide-react/icons/${name}`)
  const node: [string, Record<string, string>][] = __iconData.node
  const parts = node.map(([tag, { key, ...attributes }]) => {
    const pairs = Object.entries(attributes).map(([name, value]) => ` ${name}='${value}'`)
    return `<${tag}${pairs.join('')}/>`
  })
  const stroke = "fill='none' stroke='black' stroke-width='2' stroke-linecap='round' stroke-linejoin='round'"
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' ${stroke}>${parts.join('')}</svg>`
  return `url("data:image/svg+xml,${svg}")`
}

/** What the editor shares with its dialogs and its panel, and with no other page. */
const texts = new RegExp(
  String.raw`/editor/(${[
    'editor-context|shown-text',
    'field/(fault-sentence|faults-of)',
    'keys/key-tasks',
    'model/(filter|keyboard|rows)',
    'preview/plural-numbers',
    'saving/(cached|unsaved-texts|write-key)',
  ].join('|')})\.tsx?$`,
)

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses, so that one build works under any path of a proxy.
  base: './',
  plugins: [
    react(),
    nameStyles,
    icons,
    // React Aria's own words, for the languages of the dashboard.
    { ...optimizeLocales.vite({ locales: ['en-US', 'de-DE', 'pl-PL', 'ar-AE', 'ja-JP'] }), enforce: 'pre' },
  ],
  // Tests bring another React for their reporter.
  resolve: {
    dedupe: ['react', 'react-dom'],
    // A stand-in of wouter for versions of React without it.
    alias: [{ find: 'use-sync-external-store/shim/index.js', replacement: 'react' }],
  },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // `Promise.withResolvers` and `Map.groupBy` need no older ones. These have `light-dark()` and nested rules.
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // The dashboard's policy allows no `data:` addresses for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Dozens of small chunks compress a tenth worse, and the first one names them all. So what pages share is in few:
      // the start, the frame of a member's pages, React Aria, icons, names of keys, and texts.
      output: {
        // The first chunk names some 200 files: seven characters distinguish the versions of each.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: {
          groups: [
            { name: 'begin', tags: ['$initial'] },
            // Invited people need it before the frame.
            { name: 'sign-out', test: /sign-in\/sign-out\.tsx/ },
            { name: 'frame', test: /shell\/signed-in\.tsx/ },
            { name: 'controls', test: /react-(aria|stately)/, minShareCount: 2 },
            { name: 'icons', test: /lucide-react/, minShareCount: 2 },
            { name: 'names', test: /bundle\/(names|message)\.ts|ui\/isolated\.tsx/ },
            { name: 'texts', test: texts },
          ],
        },
      },
    },
  },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  server: { proxy: { '/api': proxy, '/cli': proxy, '/agents.md': proxy } },
})
