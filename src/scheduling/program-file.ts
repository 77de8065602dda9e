/**
 * The file of a thread's program.
 * @param built its name in `dist/chunks/`, set by the build; undefined when run from source
 * @param importer the caller's `import.meta.url`: the build puts it into a file in `dist/` or `dist/chunks/`
 */
export const programFile = (built: string | undefined, importer: string): URL =>
  built === undefined
    ? new URL('./program.ts', importer)
    : new URL(importer.replace(/\/(chunks\/)?[^/]*$/, `/chunks/${built}`))
