import { describe, expect, it } from 'vitest'
import { parseCredentials } from '../../../../src/http/access/credentials.ts'

const HASH = '$2a$10$wNQQxwB1/IbIH7O30xeu6.VxeJ2vZ5OnLzusvoanndqpCrrYDeX06'
const user = (...lines: string[]) => ['[Users.alice]', ...lines].join('\n')

describe('a credentials file', () => {
  it('lists users', () => {
    const users = parseCredentials(
      `${user(`password = "${HASH}"`, 'permissions = ["eth:*", "net:version"]', 'groups = ["a"]', 'privacyPublicKey = "k="')}
[Users."bob.b"]
password = "${HASH.replace('$2a', '$2y')}"
`,
    )
    expect([...users.values()]).toEqual([
      { name: 'alice', passwordHash: HASH, permissions: ['eth:*', 'net:version'], privacyPublicKey: 'k=' },
      { name: 'bob.b', passwordHash: HASH.replace('$2a', '$2y'), permissions: [], privacyPublicKey: undefined },
    ])
  })

  it('may be empty', () => {
    expect(parseCredentials('').size).toBe(0)
  })

  const parseError = 'An error occurred while parsing the specified RPC authentication configuration file.'
  const values = 'RPC authentication configuration file contains invalid values.'
  it.each([
    ['[Users', parseError],
    [`password = "${HASH}" x`, parseError],
    ['Users = 1', `${values} Users is not a table.`],
    ['[Users]\nalice = 1', `${values} Users.alice is not a table.`],
    [user('permissions = ["eth:*"]'), 'RPC user specified without password. User: alice.'],
    [user('password = ""'), 'RPC user specified without password. User: alice.'],
    [user('password = "secret"'), `${values} The password of alice is not a bcrypt hash.`],
    [user(`password = "${HASH}"`, 'permissions = []'), `${values} permissions of alice is not a list of texts.`],
    [user(`password = "${HASH}"`, 'permissions = "eth:*"'), `${values} permissions of alice is not a list of texts.`],
    [user(`password = "${HASH}"`, 'roles = [1]'), `${values} roles of alice is not a list of texts.`],
    [user(`password = "${HASH}"`, 'privacyPublicKey = ""'), `${values} privacyPublicKey of alice is not a text.`],
  ])('%j is refused without showing its content', (text, message) => {
    let error: unknown
    try {
      parseCredentials(text)
    } catch (caught) {
      error = caught
    }
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message })
  })
})
