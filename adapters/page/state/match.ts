/**
 * Hash routes: `#/tx/0x12?tab=logs`.
 * @module
 */

export type Params = Readonly<Record<string, string>>

export interface Place {
  /** Without the `#`: `/tx/0x12`. */
  readonly path: string
  readonly search: URLSearchParams
}

export function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s)
  return { path: path.startsWith('/') ? path : `/${path}`, search: new URLSearchParams(query) }
}

export function placeHash(path: string, search: URLSearchParams = new URLSearchParams()): string {
  const query = search.toString()
  return query === '' ? `#${path}` : `#${path}?${query}`
}

/**
 * @param pattern `/tx/:hash`
 * @returns the parameters; undefined when the path has another form
 */
export function matchPath(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/\/+$/, '').split('/')
  if (pattern === '/') return path === '/' ? {} : undefined
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const text = decoded(given[i] as string)
    if (part.startsWith(':')) {
      if (text === '') return undefined
      params[part.slice(1)] = text
    } else if (part !== text) return undefined
  }
  return params
}

/** A link may hold a `%` that begins no escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
