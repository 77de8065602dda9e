/** By what the reader may sign in. */
import { useQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { listAccounts } from '../api/client.ts'
import { useSignInMethods } from '../sign-in/sign-in-methods.ts'

/** The provider of the server, and the reader's accounts with it and here; neither on a server without one. */
export function useAccounts() {
  const provider = useSignInMethods().data?.provider
  const accounts = useQuery({ queryKey: ['accounts'], queryFn: () => answer(listAccounts()), enabled: !!provider })
  return { provider, accounts }
}
