import { describe, expect, it } from 'vitest'
import { chooseTls, KnownClients } from '../../../src/http/tlsPolicy.ts'

describe('TLS versions', () => {
  it.each([
    [['TLSv1.3', 'TLSv1.2'], [], { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', ciphers: undefined }],
    [['TLSv1.2'], [], { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }],
    [['TLSv1.3'], [], { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' }],
    [['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2'], [], { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }],
    [
      ['TLSv1.3', 'TLSv1.2'],
      ['TLS_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
      {
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.3',
        ciphers: 'TLS_AES_128_GCM_SHA256:ECDHE-RSA-AES256-GCM-SHA384',
      },
    ],
    [['TLSv1.3', 'TLSv1.2'], ['TLS_AES_256_GCM_SHA384'], { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' }],
    [
      ['TLSv1.3', 'TLSv1.2'],
      ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
      { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
    ],
  ])('%j with the cipher suites %j', (protocols, suites, choice) => {
    expect(chooseTls(protocols, suites)).toMatchObject(choice)
  })

  const noProtocol = 'No valid TLS protocols specified (the following protocols are enabled: [TLSv1.3, TLSv1.2])'
  it.each([
    [['TLSv1.1'], [], noProtocol],
    [[], [], noProtocol],
    [['x'], [], noProtocol],
    [
      ['TLSv1.3'],
      ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
      'No valid TLS protocols specified: TLSv1.3 has none of the cipher suites',
    ],
    [
      ['TLSv1.2'],
      ['TLS_RSA_WITH_NULL_SHA'],
      'Invalid TLS cipher suite specified TLS_RSA_WITH_NULL_SHA. The known ones are TLS_AES_256_GCM_SHA384, ',
    ],
  ])('%j with the cipher suites %j are refused', (protocols, suites, message) => {
    expect(() => chooseTls(protocols, suites)).toThrow(message)
  })
})

describe('known clients', () => {
  const fingerprint = Array.from({ length: 32 }, (_, i) => (i + 160).toString(16)).join(':')

  it('are recognised by name and fingerprint together', () => {
    const known = new KnownClients(
      `# comment\n\nalice ${fingerprint.toUpperCase()}\r\nmy client  ${fingerprint.replaceAll(':', '')}\n`,
    )
    expect(known.has('alice', fingerprint)).toBe(true)
    expect(known.has('Alice', fingerprint.toUpperCase())).toBe(true)
    expect(known.has('my client', fingerprint)).toBe(true)
    expect(known.has('bob', fingerprint)).toBe(false)
    expect(known.has('alice', fingerprint.replace('a0', 'a1'))).toBe(false)
  })

  it.each(['alice', `alice ${fingerprint}:00`, fingerprint, 'alice 00:11'])('%j is not a line', (line) => {
    expect(() => new KnownClients(`\n${line}`)).toThrow('line 2 of the known clients file')
  })
})
