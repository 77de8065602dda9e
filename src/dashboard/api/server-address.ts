/** Addresses of the server as other programs need them. */
import { defaults } from './client.ts'

/** Where this server is reached, without a slash at its end. */
export const serverAddress = (): string => defaults.baseUrl ?? ''
