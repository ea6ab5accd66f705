/** Serves the pages: builds the head, data and headers of each page. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getLastPriceInstant } from '../../engine/index.ts'
import {
  COMMON_MESSAGES,
  formatMessage,
  SELF_SERVICE_MESSAGES,
  SERVER_PAGE_MESSAGES,
} from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { PageData } from '../../engine/api.ts'
import { compress } from '../http/compression.ts'
import { getPath, stripSlash } from '../http/event-route-table.ts'
import { createPagePolicy, setPageHeaders } from '../http/security-headers.ts'
import { sendStored } from '../http/stored-responses.ts'
import type { StoredResponses } from '../http/stored-responses.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { buildEventResponse } from '../events/answer-validators.ts'
import { resolveLink } from '../registration/access-link.ts'
import { FALLBACK_TEMPLATE, renderEventShell, fillTemplate, renderPlainPage } from './html-shell.ts'
import type { FilledPage, Page } from './html-shell.ts'
import { buildFormPage, buildLandingPage, buildOrganisersPage } from './public-pages.ts'
import type { PublicPage } from './public-pages.ts'
import { openPrerenderer } from './render-forms.ts'

/** The path of the landing page with a message about a payment that does not belong to any known registration. */
export const UNKNOWN_PAYMENT_PAGE = '/?message=unknown-payment'

/** Matches the path of an emailed link. Older emails contain links to /pay/. */
const LINK_PATTERN = /^\/(?:my|pay)\/([^/]+)$/

type PageMatch = { readonly is: 'form' | 'success' | 'failed'; readonly served: ServedEvent }
export type Pages = { serve(request: FastifyRequest, reply: FastifyReply): unknown }

const webFolder = path.join(import.meta.dirname, '..', '..', 'web', 'dist')
const { notFound, product: name } = COMMON_MESSAGES
const { lostLinkNeedsScript, result, selfService, title: pageTitle } = SERVER_PAGE_MESSAGES
const { lostLink, title: selfServiceTitle, unknownLink } = SELF_SERVICE_MESSAGES

/** Returns the document title of a page that does not belong to any event. */
const formatTitle = (page: string): string => formatMessage(pageTitle, { page, product: name })

/**
 * Search engines may index forms. Registration pages exclude themselves with a meta tag; the other URLs are not
 * pages.
 */
const ROBOTS = `User-agent: *
Disallow: /admin
Disallow: /api/
Allow: /api/events/
Disallow: /my/
Disallow: /pay/
`

export async function registerPageRoutes(
  app: FastifyInstance,
  deps: Deps,
  responses: StoredResponses,
): Promise<Pages> {
  const indexPath = path.join(webFolder, 'index.html')
  const template = existsSync(indexPath) ? readFileSync(indexPath, 'utf8') : FALLBACK_TEMPLATE
  const assetsFolder = path.join(webFolder, 'assets')
  if (existsSync(assetsFolder)) {
    // The names of these files contain their hashes.
    await app.register(fastifyStatic, {
      root: assetsFolder,
      prefix: '/assets/',
      immutable: true,
      maxAge: '365d',
      preCompressed: true,
      index: false,
      wildcard: true,
    })
  }

  app.get('/robots.txt', async (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(ROBOTS),
  )

  const createPolicy = createPagePolicy(deps)
  let pageTable: ReadonlyMap<string, PageMatch> | null = null
  deps.events.onChange(() => {
    pageTable = null
  })
  const prerenderer = openPrerenderer(webFolder, deps.log)
  const prerenderedTemplate = stripStyleLinks(template)
  const scriptlessTemplate = stripScripts(template)
  const fill = (page: Page): FilledPage => {
    const { prerendered = null } = page
    return fillTemplate(
      prerendered === null
        ? template
        : prerendered.isComplete
          ? scriptlessTemplate
          : prerenderedTemplate,
      page,
    )
  }
  /** Sends a page that is only for this visitor. */
  const sendPrivate = async (
    request: FastifyRequest,
    reply: FastifyReply,
    page: Page,
  ): Promise<FastifyReply> => {
    const { html, inline } = fill(page)
    setPrivateHeaders(setPageHeaders(reply, await createPolicy(inline)))
    const { encoding, body } = await compress(html, request.headers['accept-encoding'])
    if (encoding !== null) void reply.header('content-encoding', encoding)
    return reply.header('vary', 'accept-encoding').type(HTML).send(body)
  }
  const sendPublic = (
    request: FastifyRequest,
    reply: FastifyReply,
    validSince: Instant,
    key: string,
    build: () => Promise<PublicPage> | PublicPage,
  ): FastifyReply | Promise<FastifyReply> => {
    const stored = responses.get(validSince, key, async () => {
      const { page, isFinal } = await build()
      const { html, inline } = fill(page)
      return { text: html, type: HTML, headers: await createPolicy(inline), isFinal }
    })
    return stored instanceof Promise
      ? stored.then((response) => sendStored(request, reply, response))
      : sendStored(request, reply, stored)
  }
  const servePrivatePage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    currentPath: string,
    at: Instant,
  ): Promise<FastifyReply> => {
    const match = pageTable?.get(currentPath) ?? (await findAfterRefresh(deps, currentPath))
    if (match?.is === 'form') return serveForm(request, reply, match.served, at)
    if (match !== undefined)
      return sendPrivate(request, reply, buildResultPage(match.served, match.is, at))
    if (currentPath === '/admin' || currentPath.startsWith('/admin/'))
      return sendPrivate(request, reply, buildOfficePage(deps))
    if (currentPath === '/my') return sendPrivate(request, reply, buildLostLinkPage(deps, at))
    const token = LINK_PATTERN.exec(currentPath)?.[1]
    if (token === undefined) return sendPrivate(request, reply.code(404), buildNotFoundPage(deps))
    const { page, status } = await buildSelfServicePage(deps, token, at)
    return sendPrivate(request, reply.code(status), page)
  }
  const serveForm = (
    request: FastifyRequest,
    reply: FastifyReply,
    served: ServedEvent,
    at: Instant,
  ): FastifyReply | Promise<FastifyReply> => {
    const validSince = getLastPriceInstant(at)
    return sendPublic(request, reply, validSince, `form:${served.config.id}`, () =>
      buildFormPage(prerenderer, served, deps.environment.publicUrl, validSince),
    )
  }

  return {
    serve: (request, reply) => {
      const at = deps.clock()
      const currentPath = stripSlash(getPath(request))
      pageTable ??= buildPageTable(deps.events.all())
      const match = pageTable.get(currentPath)
      if (match?.is === 'form') return serveForm(request, reply, match.served, at)
      if (currentPath !== '/' && currentPath !== '/organisers')
        return servePrivatePage(request, reply, currentPath, at)
      const validSince = getLastPriceInstant(at)
      const isUnknownPayment = request.url === UNKNOWN_PAYMENT_PAGE
      const url = deps.environment.publicUrl + currentPath
      return sendPublic(
        request,
        reply,
        validSince,
        isUnknownPayment ? request.url : currentPath,
        () =>
          currentPath === '/'
            ? buildLandingPage(prerenderer, deps, url, validSince, isUnknownPayment)
            : { page: buildOrganisersPage(deps, url, validSince), isFinal: true },
      )
    },
  }
}

const HTML = 'text/html; charset=utf-8'
/** Sets headers for pages whose URL or content is private. */
function setPrivateHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
}

/**
 * Returns the template without links to style sheets and fonts, for a page with inline styles (render-forms.ts). The
 * fonts are loaded later, because they would delay the script; until then, the page uses a font with the same metrics.
 */
const stripStyleLinks = (template: string): string =>
  template.replaceAll(
    /<link rel="stylesheet"[^>]*>\s*|<link rel="preload"[^>]*as="font"[^>]*>\s*/g,
    '',
  )

/** Returns the template without scripts and style sheets, for a page that needs no script and has inline styles. */
const stripScripts = (template: string): string =>
  template.replaceAll(
    /<link rel="(?:stylesheet|modulepreload)"[^>]*>\s*|<script type="module"[^>]*><\/script>\s*/g,
    '',
  )

/**
 * Finds the page of an event version that another server has just activated, for a path that this server does not know.
 */
async function findAfterRefresh(
  { events }: Pick<Deps, 'events'>,
  path: string,
): Promise<PageMatch | undefined> {
  return isFixedPage(path) || !(await events.refresh())
    ? undefined
    : buildPageTable(events.all()).get(path)
}

/** Returns true for the pages that do not belong to any event. */
const isFixedPage = (path: string): boolean =>
  ['/', '/organisers', '/my', '/admin'].includes(path) ||
  path.startsWith('/admin/') ||
  LINK_PATTERN.test(path)

function buildPageTable(events: readonly ServedEvent[]): ReadonlyMap<string, PageMatch> {
  const table = new Map<string, PageMatch>()
  for (const served of events) {
    const { form, also, success, failed } = served.config.routes
    for (const route of [form, ...also]) table.set(stripSlash(route), { is: 'form', served })
    table.set(stripSlash(success), { is: 'success', served })
    table.set(stripSlash(failed), { is: 'failed', served })
  }
  return table
}

const LOADING_HTML = `<p class="until-script">${result.loading}</p><noscript><p>${result.needsScript}</p></noscript>`

function buildResultPage(served: ServedEvent, outcome: 'success' | 'failed', at: Instant): Page {
  const event = served.config
  const shell = renderEventShell(event, at, LOADING_HTML)
  return {
    title: formatMessage(result.title, { event: event.title }),
    description: formatMessage(result.about, { event: event.title }),
    url: null,
    image: null,
    colour: event.look.colour,
    shell,
    data: { page: 'result', outcome, event: buildEventResponse(served, at) },
  }
}

/** Builds the page for the link's event, even if the link has expired; without an event if the link is unknown. */
async function buildSelfServicePage(
  deps: Deps,
  token: string,
  at: Instant,
): Promise<{ readonly page: Page; readonly status: 200 | 404 }> {
  const linkResult = await resolveLink(deps, token)
  const site = deps.events.site()
  const events = [...deps.events.cards(at)]
  if (linkResult === null) {
    const text = unknownLink.title
    const page = {
      title: formatTitle(selfServiceTitle),
      description: text,
      url: null,
      image: null,
      colour: null,
      shell: renderPlainPage(selfServiceTitle, text),
      data: { page: 'my' as const, event: null, site, events },
    }
    return { page, status: 404 }
  }
  const { served } = linkResult
  const { config } = served
  const page = {
    title: formatMessage(selfService.title, { event: config.title }),
    description: formatMessage(selfService.about, { event: config.title }),
    url: null,
    image: null,
    colour: config.look.colour,
    shell: renderEventShell(config, at, LOADING_HTML),
    data: { page: 'my' as const, event: buildEventResponse(served, at), site, events },
  }
  return { page, status: linkResult.isExpired ? 404 : 200 }
}

function buildLostLinkPage(deps: Deps, at: Instant): Page {
  const text = lostLinkNeedsScript
  return {
    title: formatTitle(lostLink.title),
    description: text,
    url: null,
    image: null,
    colour: null,
    shell: renderPlainPage(lostLink.title, text),
    data: { page: 'my', event: null, site: deps.events.site(), events: [...deps.events.cards(at)] },
  }
}

function buildOfficePage(deps: Deps): Page {
  return {
    title: `${name} office`,
    description: 'Sign in to see registrations.',
    url: null,
    image: null,
    colour: null,
    shell: renderPlainPage('Office', 'The office needs a recent browser with JavaScript.'),
    data: buildPageData(deps, 'office'),
  }
}

function buildNotFoundPage(deps: Deps): Page {
  const text = notFound.explanation
  return {
    title: formatTitle(notFound.title),
    description: text,
    url: null,
    image: null,
    colour: null,
    shell: renderPlainPage(notFound.title, text),
    data: buildPageData(deps, 'not-found'),
  }
}

function buildPageData(deps: Deps, page: 'office' | 'not-found'): PageData {
  return { page, site: null, events: page === 'office' ? [] : [...deps.events.cards(deps.clock())] }
}
