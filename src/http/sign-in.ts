/** `GET /api/sign-in`: what a page must know before anybody has signed in. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { PROVIDER } from '../auth/mount.ts'
import type { Config } from '../config.ts'
import { answer, component, text } from './requests/shapes.ts'

const SignIn = component('SignIn', {
  signUp: z
    .enum(['open', 'invite', 'closed'])
    .describe('Who may create an account: everybody, invited people, or only the operator (`SIGN_UP`).'),
  firstUser: z
    .boolean()
    .describe('There is no account yet. Unless `signUp` is `closed`, the first user needs no invitation.'),
  provider: component('SignInProvider', {
    id: z.literal(PROVIDER).describe('The `provider` for `POST /api/auth/sign-in/social`.'),
    name: text('The name that people know.', 'Acme Login'),
  })
    .nullable()
    .describe('The OpenID provider that one may sign in by, null without one.'),
})

/** Adds the route, open to everybody. */
export function signInRoute(app: FastifyInstance, { signUp, oidc }: Pick<Config, 'signUp' | 'oidc'>): void {
  const schema = {
    tags: ['Authentication'],
    security: [],
    operationId: 'getSignIn',
    summary: 'How one may sign in and sign up here',
    description: 'The sign-in page shows only what works. Open to everybody.',
    response: { 200: answer(SignIn.describe('By the settings of the server.'), 'Cache-Control') },
  }
  const provider = oidc === undefined ? null : { id: PROVIDER, name: oidc.name }
  app.get('/api/sign-in', { schema }, (_request, reply) => {
    reply.header('cache-control', 'no-store').send({ signUp, firstUser: !app.auth.hasUsers(), provider })
  })
}
