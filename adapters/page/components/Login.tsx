import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { HttpProvider } from '../rpc/httpProvider.ts'
import { refreshHead } from '../state/live.ts'
import { connection, discover, provider } from '../state/node.ts'
import { Button } from './Button.tsx'
import { Field } from './Field.tsx'

/** Asks for the name and the password of the node. The token that it answers with stays in memory. */
export function Login(): VNode | null {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const http = provider instanceof HttpProvider ? provider : undefined
  if (http === undefined) return null
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      await http.login(username, password)
      connection.value = 'connecting'
      setPassword('')
      await discover()
      refreshHead()
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="card login" onSubmit={(event) => void submit(event)}>
      <h1 tabIndex={-1}>This node asks for a login</h1>
      <Field label="Name" value={username} onInput={setUsername} autoComplete="username" />
      <Field
        label="Password"
        type="password"
        value={password}
        onInput={setPassword}
        error={error}
        autoComplete="current-password"
      />
      <Button type="submit" kind="primary" isBusy={isBusy}>
        Log in
      </Button>
    </form>
  )
}
