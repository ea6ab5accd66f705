/**
 * For `npm run dev`: pages come from the running server, with the data and the shell that it writes
 * into them, and get the sources in place of what was built from them. Everything else that is not
 * a source goes to the server too.
 */
import type { Connect, Plugin, ViteDevServer } from 'vite'

/** What a production page loads; in its place stands the entry that vite compiles as one edits. */
const BUILT =
  /<script type="module"[^>]*><\/script>|<link rel="(?:modulepreload|stylesheet|preload)"[^>]*>/g

/** @param origin where the server of `rollcall start` listens. */
export function serverPages(origin: string): Plugin {
  const answer = async (vite: ViteDevServer, path: string, headers: Headers): Promise<string> => {
    const response = await fetch(origin + path, { headers, redirect: 'manual' })
    const html = (await response.text())
      .replaceAll(BUILT, '')
      .replace('</body>', '<script type="module" src="/app/main.tsx"></script></body>')
    return vite.transformIndexHtml(path, html)
  }
  return {
    name: 'rollcall:pages-of-the-server',
    apply: 'serve',
    configureServer: (vite) => {
      const pages: Connect.NextHandleFunction = (request, response, next) => {
        const wantsPage = request.method === 'GET' && request.headers.accept?.includes('text/html')
        if (wantsPage !== true) return next()
        const { cookie } = request.headers
        answer(
          vite,
          request.originalUrl ?? '/',
          new Headers(cookie === undefined ? {} : { cookie }),
        )
          .then((html) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html))
          .catch(() => response.writeHead(503).end('The server is not there yet; load again.'))
      }
      vite.middlewares.use(pages)
    },
  }
}
