import type { HttpAppOptions } from './app.ts'
import type { ExplorerOptions, ExplorerPage } from './explorerPage.ts'

/** The routes of the explorer, whose code is loaded for its first visitor. */
export function explorerRoutes(options: ExplorerOptions): NonNullable<HttpAppOptions['routes']> {
  let page: Promise<ExplorerPage> | undefined
  return {
    fetch: async (request) => {
      page ??= import('./explorerPage.ts').then(({ ExplorerPage }) => new ExplorerPage(options))
      return (await page).respond(request)
    },
  }
}
