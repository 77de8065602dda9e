/** A Node that says it is an older one, for tests of what is done there: `node --import <this>`, or in NODE_OPTIONS. */
export const OLD_NODE =
  'data:text/javascript,' +
  encodeURIComponent(`Object.defineProperty(process, 'version', { value: 'v20.20.2' })
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
    const { ARCH = 'x64', GLIBC = '2.36' } = process.env
    Object.defineProperty(process, 'arch', { value: ARCH })
    process.report.getReport = () => ({ header: GLIBC ? { glibcVersionRuntime: GLIBC } : {} })`)
