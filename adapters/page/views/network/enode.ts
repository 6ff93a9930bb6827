import type { InputKind } from '../../format/inputKinds.ts'

export const ENODE: InputKind = {
  expected: 'An enode URL: enode://, 128 hex digits, @, host and port.',
  read: (text) => (/^enode:\/\/[0-9a-f]{128}@[^\s@]+:\d{1,5}(?:\?\S*)?$/i.test(text.trim()) ? text.trim() : undefined),
}

/** `enode://ff5596c4…@127.0.0.1:30303` */
export function shortEnode(enode: string): string {
  const at = enode.indexOf('@')
  return at < 20 ? enode.slice(0, 40) : `${enode.slice(0, 16)}…${enode.slice(at, at + 60)}`
}
