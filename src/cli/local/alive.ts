/** @param id of a process on this machine @returns whether it runs, as far as can be told */
export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Tells this run from others, which in containers may all have its process id. Eight hexadecimal digits. */
export const RUN: string = Math.floor(Math.random() * 2 ** 32)
  .toString(16)
  .padStart(8, '0')
