/** Routes page requests: head, data and headers of each page. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  dayOf,
  formatDays,
  isoIndia,
  checkRegistrationOpen,
  UNKNOWN_PAYMENT,
} from '../../engine/index.ts'
import { buildTariff } from '../../engine/api.ts'
import {
  COMMON_MESSAGES,
  formatMessage,
  SELF_SERVICE_MESSAGES,
  SERVER_PAGE_MESSAGES,
} from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { PageData } from '../../engine/api.ts'
import { getPath, stripSlash } from '../http/event-route-table.ts'
import { getNonce, createPagePolicy } from '../http/security-headers.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { openPrerenderer } from './render-forms.ts'
import type { Prerenderer } from './render-forms.ts'
import { compress } from './compression.ts'
import { resolveLink } from '../registration/access-link.ts'
import { buildPublicFile, buildSharedFiles } from '../events/event-file-routes.ts'
import {
  FALLBACK_TEMPLATE,
  renderEventShell,
  renderEventText,
  fillTemplate,
  renderEventList,
  renderMessage,
  renderScriptNotice,
  renderPlainPage,
} from './html-shell.ts'
import type { Page } from './html-shell.ts'
import { getShareImageUrl } from '../events/share-image.ts'
import { renderOrganisersPage, renderLandingPage } from './landing-page-html.ts'
import { buildEventResponse } from '../events/answer-validators.ts'

/** The landing page with a message about a payment that belongs to no known registration. */
export const UNKNOWN_PAYMENT_PAGE = '/?message=unknown-payment'

/** The page of an emailed link; older emails use the second path. */
const LINK = /^\/(?:my|pay)\/([^/]+)$/

type PageMatch = { readonly is: 'form' | 'success' | 'failed'; readonly served: ServedEvent }
export type Pages = { serve(request: FastifyRequest, reply: FastifyReply): unknown }

const webFolder = path.join(import.meta.dirname, '..', '..', 'web', 'dist')
const { notFound, product: name } = COMMON_MESSAGES
const { about, lostLinkNeedsScript, result, selfService, title: pageTitle } = SERVER_PAGE_MESSAGES
const { lostLink, title: ownTitle, unknownLink } = SELF_SERVICE_MESSAGES

/** Returns the document title of a page that belongs to no event. */
const formatTitle = (page: string): string => formatMessage(pageTitle, { page, product: name })

/** Search engines may index forms. Pages of a registration exclude themselves; the rest are not pages. */
const ROBOTS = `User-agent: *
Disallow: /admin
Disallow: /api/
Allow: /api/events/
Disallow: /my/
Disallow: /pay/
`

export async function pageRoutes(app: FastifyInstance, deps: Deps): Promise<Pages> {
  const index = path.join(webFolder, 'index.html')
  const template = existsSync(index) ? readFileSync(index, 'utf8') : FALLBACK_TEMPLATE
  const assets = path.join(webFolder, 'assets')
  if (existsSync(assets)) {
    // Their names contain their hashes.
    await app.register(fastifyStatic, {
      root: assets,
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

  const setPageHeaders = createPagePolicy(deps)
  let pageTable: ReadonlyMap<string, PageMatch> | null = null
  deps.events.onChange(() => {
    pageTable = null
  })
  const prerenderer = openPrerenderer(webFolder, deps.log)
  const prerenderedTemplate = stripStyleLinks(template)
  const scriptlessTemplate = stripScripts(template)
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    page: Page,
  ): Promise<FastifyReply> => {
    const { prerendered = null } = page
    const chosenTemplate =
      prerendered === null
        ? template
        : prerendered.isComplete
          ? scriptlessTemplate
          : prerenderedTemplate
    const html = fillTemplate(chosenTemplate, page, getNonce(reply.raw))
    const { encoding, body } = await compress(html, request.headers['accept-encoding'])
    if (encoding !== null) void reply.header('content-encoding', encoding)
    return reply.header('vary', 'accept-encoding').type('text/html; charset=utf-8').send(body)
  }

  return {
    serve: async (request, reply) => {
      await setPageHeaders(reply)
      const at = deps.clock()
      const here = stripSlash(getPath(request))
      pageTable ??= buildPageTable(deps.events.all())
      const match = pageTable.get(here) ?? (await findAfterRefresh(deps, here))
      const url = deps.environment.publicUrl + here
      if (match?.is === 'form')
        return send(
          request,
          reply.header('cache-control', 'no-cache'),
          await buildFormPage(prerenderer, match.served, url, at),
        )
      if (match !== undefined)
        return send(
          request,
          setPrivateHeaders(reply),
          buildResultPage(match.served, match.is as 'success' | 'failed', at),
        )
      if (here === '/' || here === '/organisers')
        return send(
          request,
          reply.header('cache-control', 'no-cache'),
          here === '/'
            ? await buildLandingPage(
                prerenderer,
                deps,
                url,
                at,
                request.url === UNKNOWN_PAYMENT_PAGE,
              )
            : buildOrganisersPage(deps, url, at),
        )
      if (here === '/admin' || here.startsWith('/admin/'))
        return send(request, setPrivateHeaders(reply), buildOfficePage(deps))
      if (here === '/my')
        return send(request, setPrivateHeaders(reply), buildLostLinkPage(deps, at))
      const token = LINK.exec(here)?.[1]
      if (token !== undefined) {
        const { page, status } = await buildSelfServicePage(deps, token, at)
        return send(request, setPrivateHeaders(reply.code(status)), page)
      }
      return send(request, setPrivateHeaders(reply.code(404)), buildNotFoundPage(deps))
    },
  }
}

/** Sets headers for pages with a private address or content. */
function setPrivateHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
}

/**
 * The template of a page with inline styles (render-forms.ts). Its fonts are loaded later too, because they would delay
 * the script; until then the page uses a font with the same metrics.
 */
const stripStyleLinks = (template: string): string =>
  template.replaceAll(
    /<link rel="stylesheet"[^>]*>\s*|<link rel="preload"[^>]*as="font"[^>]*>\s*/g,
    '',
  )

/** The template of a page without a script and with inline styles; only its fonts are loaded later. */
const stripScripts = (template: string): string =>
  template.replaceAll(
    /<link rel="(?:stylesheet|modulepreload)"[^>]*>\s*|<script type="module"[^>]*><\/script>\s*/g,
    '',
  )

/** Checks for a version that another server has just activated; only for paths that are unknown here. */
async function findAfterRefresh(
  { events }: Pick<Deps, 'events'>,
  path: string,
): Promise<PageMatch | undefined> {
  return isFixedPage(path) || !(await events.refresh())
    ? undefined
    : buildPageTable(events.all()).get(path)
}

/** Pages that belong to no event. */
const isFixedPage = (path: string): boolean =>
  ['/', '/organisers', '/my', '/admin'].includes(path) ||
  path.startsWith('/admin/') ||
  LINK.test(path)

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

/** Prerenders the whole form if possible, else its introduction. */
async function buildFormPage(
  prerenderer: Prerenderer,
  served: ServedEvent,
  address: string,
  at: Instant,
): Promise<Page> {
  const event = served.config
  // The number of seats left changes by the minute, so the script requests it.
  const { left: _, ...today } = buildTariff(event, at)
  const about = { page: 'event', event: buildEventResponse(served, at) } as const
  const prerenderData = { ...about, tariff: today, drawn: true } as const
  const isOpen = checkRegistrationOpen(event, dayOf(at)).open
  const prerendered = isOpen ? await prerenderer.of(served, prerenderData) : null
  const scriptNotice = isOpen ? renderScriptNotice(event) : ''
  const main = `${event.about ?? event.title}, ${formatDays(event.from, event.to)}, ${event.venue}`
  const url = new URL(event.routes.form, address).href
  return {
    title: `${event.title}: registration`,
    description: main,
    url,
    image: new URL(getShareImageUrl(event), address).href,
    colour: event.look.colour,
    ...(prerendered === null
      ? {
          shell: renderEventShell(event, at, `<noscript>${scriptNotice}</noscript>`),
          data: { ...about, tariff: null, drawn: false },
        }
      : { shell: renderEventText(event, at, scriptNotice), prerendered, data: prerenderData }),
  }
}

const LOADING_HTML = `<p>${result.loading}</p><noscript><p>${result.needsScript}</p></noscript>`

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

/** Uses the event of the link, even if the link has expired; no event if it is unknown. */
async function buildSelfServicePage(
  deps: Deps,
  token: string,
  at: Instant,
): Promise<{ readonly page: Page; readonly status: 200 | 404 }> {
  const found = await resolveLink(deps, token)
  const site = deps.events.site()
  const events = [...deps.events.cards(at)]
  if (found === null) {
    const text = unknownLink.title
    const page = {
      title: formatTitle(ownTitle),
      description: text,
      url: null,
      image: null,
      colour: null,
      shell: renderPlainPage(ownTitle, text),
      data: { page: 'my' as const, event: null, site, events },
    }
    return { page, status: 404 }
  }
  const { served } = found
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
  return { page, status: found.isExpired ? 404 : 200 }
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

/** `isUnknownPayment`: the browser returns from the gateway, and there is no registration for the payment. */
async function buildLandingPage(
  prerenderer: Prerenderer,
  deps: Deps,
  url: string,
  at: Instant,
  isUnknownPayment: boolean,
): Promise<Page> {
  const events = deps.events.cards(at)
  const site = deps.events.site()
  const title = site?.page.title ?? name
  const text = site?.page.about ?? about
  const message = isUnknownPayment ? (site?.messages.unknownPayment ?? UNKNOWN_PAYMENT) : null
  const data = { page: 'site' as const, site, events: [...events], message }
  return {
    title,
    description: text,
    url,
    image: null,
    colour: null,
    // A message is announced to screen readers only if a script renders it.
    prerendered: site === null || message !== null ? null : await prerenderer.site(data),
    shell:
      renderMessage(message) +
      (site === null ? renderEventList(title, text, events) : renderLandingPage(site, events)),
    data,
  }
}

function buildOrganisersPage(deps: Deps, url: string, at: Instant): Page {
  const site = deps.events.site()
  const text = site?.page.about ?? about
  const sample =
    site === null
      ? null
      : (deps.events.byId(site.organisers.example) ?? deps.events.all()[0] ?? null)
  return {
    title: `${name} for organisers`,
    description: site?.organisers.text ?? text,
    url,
    image: null,
    colour: null,
    shell:
      site === null
        ? renderEventList('For organisers', text, [])
        : renderOrganisersPage(site, sample && buildPublicFile(sample).text),
    data: {
      page: 'organisers',
      site,
      events: [...deps.events.cards(at)],
      now: isoIndia(at),
      sample: sample && buildPublicFile(sample),
      shared: sample && buildSharedFiles(sample),
    },
  }
}

function buildOfficePage(deps: Deps): Page {
  return {
    title: `Office – ${name}`,
    description: 'Sign in to see registrations.',
    url: null,
    image: null,
    colour: null,
    shell: renderPlainPage('Office', 'The office needs JavaScript.'),
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
