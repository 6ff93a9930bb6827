/**
 * JSON Web Tokens: verification of those that an endpoint accepts, and those that it issues itself.
 * @module
 */
import {
  type CryptoKey,
  errors,
  exportSPKI,
  generateKeyPair,
  importSPKI,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { TOKEN_LIFE_SECONDS } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { User } from './credentials.ts'

export type TokenAlgorithm = 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512'

/** A key with the only algorithm that its tokens may name. */
export interface TokenKey {
  readonly algorithm: TokenAlgorithm
  readonly key: CryptoKey
}

/** Content of a valid token. */
export interface VerifiedToken {
  readonly permissions: readonly string[]
  readonly username: string | undefined
  readonly privacyPublicKey: string | undefined
  readonly privacyUserId: string | undefined
  /** Wall clock, milliseconds since 1970; from then on the token is invalid. */
  readonly expiresMs: number
}

type WallClock = Pick<Clock, 'now'>

/** Three parts in base64url; decoders also accept spaces in them. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/
const MIN_RSA_BITS = 2048
const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }

/**
 * @param pem of type `PUBLIC KEY`
 * @throws {NodeError} INVALID_OPTION when the text is not a public key for the algorithm
 */
export async function readPublicKey(pem: string, algorithm: TokenAlgorithm): Promise<TokenKey> {
  let key: CryptoKey
  try {
    key = await importSPKI(pem.trim(), algorithm)
  } catch (cause) {
    const kind = algorithm.startsWith('RS') ? 'an RSA key' : `a key on the curve ${CURVES[algorithm]}`
    throw invalid(`the JWT public key is not a PEM public key for ${algorithm}, which needs ${kind}`, cause)
  }
  const { modulusLength } = (key as { readonly algorithm: { readonly modulusLength?: number } }).algorithm
  if (modulusLength !== undefined && modulusLength < MIN_RSA_BITS) {
    throw invalid(`the JWT public key has ${modulusLength} bits; ${MIN_RSA_BITS} are the minimum`)
  }
  return { algorithm, key }
}

/** @returns undefined for every token that is not valid now */
export async function verifyToken(
  token: string,
  { algorithm, key }: TokenKey,
  clock: WallClock,
): Promise<VerifiedToken | undefined> {
  if (!COMPACT.test(token)) return undefined
  try {
    const options = { algorithms: [algorithm], requiredClaims: ['exp'], currentDate: new Date(clock.now()) }
    const { payload } = await jwtVerify(token, key, options)
    return readClaims(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

function readClaims(payload: JWTPayload): VerifiedToken {
  const { permissions, username, privacyPublicKey, privacyUserId, exp = 0 } = payload
  return {
    permissions: Array.isArray(permissions) ? permissions.filter((item) => typeof item === 'string') : [],
    username: typeof username === 'string' ? username : undefined,
    privacyPublicKey: typeof privacyPublicKey === 'string' ? privacyPublicKey : undefined,
    privacyUserId: typeof privacyUserId === 'string' ? privacyUserId : undefined,
    expiresMs: exp * 1000,
  }
}

/** Issues tokens with a key pair that exists only in memory: a restart invalidates them. */
export class TokenIssuer {
  readonly #clock: WallClock
  readonly #privateKey: CryptoKey
  /** Verifies the tokens. */
  readonly key: TokenKey

  private constructor(clock: WallClock, privateKey: CryptoKey, publicKey: CryptoKey) {
    this.#clock = clock
    this.#privateKey = privateKey
    this.key = { algorithm: 'RS256', key: publicKey }
  }

  /** The key that verifies the tokens, for other processes: PEM, algorithm RS256. */
  publicKey(): Promise<string> {
    return exportSPKI(this.key.key)
  }

  static async create(clock: WallClock): Promise<TokenIssuer> {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    return new TokenIssuer(clock, privateKey, publicKey)
  }

  issue({ name, permissions, privacyPublicKey }: User): Promise<string> {
    const issued = Math.floor(this.#clock.now() / 1000)
    return new SignJWT({ permissions, username: name, ...(privacyPublicKey === undefined ? {} : { privacyPublicKey }) })
      .setProtectedHeader({ typ: 'JWT', alg: 'RS256' })
      .setIssuedAt(issued)
      .setExpirationTime(issued + TOKEN_LIFE_SECONDS)
      .sign(this.#privateKey)
  }
}

function invalid(message: string, cause?: unknown): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message, { cause })
}
