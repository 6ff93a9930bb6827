/**
 * `POST /login`: exchanges a user name and a password for a token.
 * @module
 */
import { MAX_LOGIN_QUEUE, MAX_PASSWORD_BYTES } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { LoginReply, LoginService } from './contract.ts'
import type { User } from './credentials.ts'
import { LoginAttempts } from './loginAttempts.ts'

/** Compares a password with a bcrypt hash. It takes 50 ms or more, preferably on another thread. */
export type MatchPassword = (password: string, hash: string) => Promise<boolean>

export interface LoginOptions {
  readonly users: ReadonlyMap<string, User>
  readonly matches: MatchPassword
  readonly issue: (user: User) => Promise<string>
  readonly clock: Pick<Clock, 'monotonic'>
}

const BAD_REQUEST: LoginReply = { status: 400, body: '' }
/** Hash of an unknown password; stands in for the hash of an unknown user. */
const NO_HASH = '$2a$10$wNQQxwB1/IbIH7O30xeu6.VxeJ2vZ5OnLzusvoanndqpCrrYDeX06'
const QUEUE_RETRY_SECONDS = 1

export class Login implements LoginService {
  readonly #options: LoginOptions
  readonly #attempts: LoginAttempts
  /** Compared for unknown users, so that the answer takes as long as for known ones. */
  readonly #standIn: string
  #queued = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: LoginOptions) {
    this.#options = options
    this.#attempts = new LoginAttempts(options.clock)
    const [first] = options.users.values()
    this.#standIn = first?.passwordHash ?? NO_HASH
  }

  async handle(body: string, client: string): Promise<LoginReply> {
    const credentials = readCredentials(body)
    if (credentials === undefined) return BAD_REQUEST
    const waitMs = this.#attempts.begin(client)
    if (waitMs > 0) return tooMany(Math.ceil(waitMs / 1000), credentials)
    if (this.#queued >= MAX_LOGIN_QUEUE) {
      this.#attempts.succeeded(client)
      return tooMany(QUEUE_RETRY_SECONDS, credentials)
    }
    const user = await this.#inTurn(() => this.#check(credentials))
    if (user === undefined) return { status: 401, body: '', refusedUser: credentials.username }
    this.#attempts.succeeded(client)
    return { status: 200, body: JSON.stringify({ token: await this.#options.issue(user) }) }
  }

  /** One comparison at a time: attempts must not take the time of other requests. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    this.#queued++
    const result = this.#last.then(run).finally(() => {
      this.#queued--
    })
    this.#last = result.catch(() => {})
    return result
  }

  async #check({ username, password }: Credentials): Promise<User | undefined> {
    const user = this.#options.users.get(username)
    const isMatch = await this.#options.matches(password, user?.passwordHash ?? this.#standIn)
    // bcrypt ignores the bytes after these.
    const isTooLong = new TextEncoder().encode(password).length > MAX_PASSWORD_BYTES
    return isMatch && !isTooLong ? user : undefined
  }
}

interface Credentials {
  readonly username: string
  readonly password: string
}

/** A missing name or password matches no user. */
function readCredentials(body: string): Credentials | undefined {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const { username, password } = value as { readonly username?: unknown; readonly password?: unknown }
    return { username: text(username), password: text(password) }
  } catch {
    return undefined
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function tooMany(retryAfter: number, { username }: Credentials): LoginReply {
  return { status: 429, body: '', retryAfter, refusedUser: username }
}
