import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev` sends what is not the page's: a running server. */
const server = process.env.PARLANCE_URL ?? 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses, so that one build works under whatever path a proxy puts it.
  base: './',
  plugins: [react()],
  // Tests bring another React for their reporter.
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the page allows no data: addresses for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  server: {
    proxy: {
      // The page's own modules lie in a folder of that name too.
      '/api': { target: server, bypass: ({ headers, url }) => (headers['sec-fetch-dest'] === 'script' ? url : null) },
      '/cli': server,
    },
  },
})
