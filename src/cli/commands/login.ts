/** `parlance login`: tests a token at its server, and stores it. */
import { apiOf } from '../api/client.ts'
import { credentialsFile, storeToken, tokenFrom } from '../config/credentials.ts'
import { TOKEN_VARIABLE } from '../config/settings.ts'
import { needTrustedServer } from '../config/trusted-server.ts'
import { serverUrl, shownUrl } from '../config/url.ts'
import type { Context, Run } from '../context.ts'
import { Problem, usage } from '../problem.ts'
import { callerOf } from './whoami.ts'

interface Options {
  tokenStdin?: true
}

/** With `--json`: the document of `whoami`, and the `file` with the token. */
export const run: Run<Options> = async (context, options) => {
  const settings = await context.settings()
  const url =
    settings.url.value ?? serverUrl(await context.ask.text('Which server?', '--url', { check }), 'The address')
  const isTyped = !options.tokenStdin && settings.token.origin !== TOKEN_VARIABLE
  if (!isTyped) await needTrustedServer(context, settings, options.tokenStdin ? 'The token' : TOKEN_VARIABLE)
  const token = options.tokenStdin ? await piped(context) : await tokenOf(context, shownUrl(url))
  const caller = await callerOf(context, apiOf(context, url, token))
  await storeToken(context.env, shownUrl(url), token)
  const document = { url: shownUrl(url), ...caller, file: credentialsFile(context.env) }
  await context.print(document, () => `The token of ${document.url} is valid, and stored in ${document.file}.`)
}

async function tokenOf({ env, ask }: Context, address: string): Promise<string> {
  // The settings have checked the token of the environment.
  const token =
    env[TOKEN_VARIABLE]?.trim() ||
    (await ask.secret(`The API token (prl_…) of ${address}?`, `--token-stdin or ${TOKEN_VARIABLE}`))
  return tokenFrom(token, 'What was typed')
}

/** Maximum bytes of standard input. */
const LIMIT = 4096

async function piped({ input }: Context): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of input()) {
    parts.push(part)
    if (parts.reduce((sum, { length }) => sum + length, 0) > LIMIT) break
  }
  const text = Buffer.concat(parts).toString('utf8')
  if (text.trim() === '') throw usage('No token came on standard input.')
  return tokenFrom(text, 'What came on standard input')
}

function check(value: string): string | undefined {
  try {
    serverUrl(value, 'This')
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
