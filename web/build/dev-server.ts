/** The Vite plugin for `npm run dev`: serves the running server's pages with uncompiled sources. */
import type { Connect, Plugin, ViteDevServer } from 'vite'

/** Scripts and styles of a production page; replaced by the entry that Vite compiles. */
const BUILT_ASSETS =
  /<script type="module"[^>]*><\/script>|<link rel="(?:modulepreload|stylesheet|preload)"[^>]*>/g

/**
 * Creates the plugin. The server provides the pages with their data; the plugin replaces the built scripts with the
 * sources. It also forwards all other requests to the server, except requests for sources.
 *
 * @param origin URL at which the server of `rollcall start` listens.
 */
export function createServerPagesPlugin(origin: string): Plugin {
  const fetchPage = async (
    vite: ViteDevServer,
    path: string,
    headers: Headers,
  ): Promise<string> => {
    const response = await fetch(origin + path, { headers, redirect: 'manual' })
    const html = (await response.text())
      .replaceAll(BUILT_ASSETS, '')
      .replace('</body>', '<script type="module" src="/app/main.tsx"></script></body>')
    return vite.transformIndexHtml(path, html)
  }
  return {
    name: 'rollcall:pages-of-the-server',
    apply: 'serve',
    configureServer: (vite) => {
      const servePage: Connect.NextHandleFunction = (request, response, next) => {
        const isPageRequest =
          request.method === 'GET' && request.headers.accept?.includes('text/html')
        if (isPageRequest !== true) return next()
        const { cookie } = request.headers
        fetchPage(
          vite,
          request.originalUrl ?? '/',
          new Headers(cookie === undefined ? {} : { cookie }),
        )
          .then((html) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html))
          .catch(() =>
            response.writeHead(503).end('The server is not running yet. Reload the page.'),
          )
      }
      vite.middlewares.use(servePage)
    },
  }
}
