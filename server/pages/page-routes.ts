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
import { pathOf, withoutSlash } from '../http/event-route-table.ts'
import { nonceOf, pagePolicy } from '../http/security-headers.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { openDrawings } from './render-forms.ts'
import type { Drawings } from './render-forms.ts'
import { packed } from './compression.ts'
import { linked } from '../registration/access-link.ts'
import { eventFile, sharedFiles } from '../events/event-file-routes.ts'
import {
  bareTemplate,
  eventShell,
  eventText,
  fillTemplate,
  listShell,
  messageShell,
  needsScript,
  plainShell,
} from './html-shell.ts'
import type { Page } from './html-shell.ts'
import { pictureUrl } from '../events/share-image.ts'
import { organisersShell, siteShell } from './landing-page-html.ts'
import { eventAnswer } from '../events/answer-validators.ts'

/** The landing page for a payment that belongs to no known registration: it says so at the top. */
export const UNKNOWN_PAYMENT_PAGE = '/?message=unknown-payment'

/** The page of an emailed link; older emails use the second path. */
const LINK = /^\/(?:my|pay)\/([^/]+)$/

type Shows = { readonly is: 'form' | 'success' | 'failed'; readonly served: ServedEvent }
export type Pages = { serve(request: FastifyRequest, reply: FastifyReply): unknown }

const webFolder = path.join(import.meta.dirname, '..', '..', 'web', 'dist')
const { notFound, product: name } = COMMON_MESSAGES
const { about, lostLinkNeedsScript, result, selfService, title: pageTitle } = SERVER_PAGE_MESSAGES
const { lostLink, title: ownTitle, unknownLink } = SELF_SERVICE_MESSAGES

/** The document's title of a page of ours that belongs to no event. */
const titleOf = (page: string): string => formatMessage(pageTitle, { page, product: name })

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
  const template = existsSync(index) ? readFileSync(index, 'utf8') : bareTemplate
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

  const protect = pagePolicy(deps)
  let table: ReadonlyMap<string, Shows> | null = null
  deps.events.onChange(() => {
    table = null
  })
  const drawings = openDrawings(webFolder, deps.log)
  const templateOfDrawn = withoutLinks(template)
  const templateAlone = withoutScript(template)
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    page: Page,
  ): Promise<FastifyReply> => {
    const { drawing = null } = page
    const filled = drawing === null ? template : drawing.isAlone ? templateAlone : templateOfDrawn
    const html = fillTemplate(filled, page, nonceOf(reply.raw))
    const { encoding, body } = await packed(html, request.headers['accept-encoding'])
    if (encoding !== null) void reply.header('content-encoding', encoding)
    return reply.header('vary', 'accept-encoding').type('text/html; charset=utf-8').send(body)
  }

  return {
    serve: async (request, reply) => {
      await protect(reply)
      const at = deps.clock()
      const here = withoutSlash(pathOf(request))
      table ??= tableOf(deps.events.all())
      const shows = table.get(here) ?? (await lookedAgain(deps, here))
      const url = deps.environment.publicUrl + here
      if (shows?.is === 'form')
        return send(
          request,
          reply.header('cache-control', 'no-cache'),
          await formPage(drawings, shows.served, url, at),
        )
      if (shows !== undefined)
        return send(
          request,
          secret(reply),
          resultPage(shows.served, shows.is as 'success' | 'failed', at),
        )
      if (here === '/' || here === '/organisers')
        return send(
          request,
          reply.header('cache-control', 'no-cache'),
          here === '/'
            ? await landingPage(drawings, deps, url, at, request.url === UNKNOWN_PAYMENT_PAGE)
            : organisersPage(deps, url, at),
        )
      if (here === '/admin' || here.startsWith('/admin/'))
        return send(request, secret(reply), officePage(deps))
      if (here === '/my') return send(request, secret(reply), lostLinkPage(deps, at))
      const token = LINK.exec(here)?.[1]
      if (token !== undefined) {
        const { page, status } = await ownPage(deps, token, at)
        return send(request, secret(reply.code(status)), page)
      }
      return send(request, secret(reply.code(404)), missingPage(deps))
    },
  }
}

/** For pages with a private address or content. */
function secret(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
}

/**
 * The template of a page with inline styles (render-forms.ts). Its fonts wait too, because every byte of them
 * would delay the script; until then the page uses a font with the same metrics.
 */
const withoutLinks = (template: string): string =>
  template.replaceAll(
    /<link rel="stylesheet"[^>]*>\s*|<link rel="preload"[^>]*as="font"[^>]*>\s*/g,
    '',
  )

/** The template of a page without a script and with inline styles; only its fonts are loaded later. */
const withoutScript = (template: string): string =>
  template.replaceAll(
    /<link rel="(?:stylesheet|modulepreload)"[^>]*>\s*|<script type="module"[^>]*><\/script>\s*/g,
    '',
  )

/** Checks for a version that another server has just activated; only for paths that are unknown here. */
async function lookedAgain(
  { events }: Pick<Deps, 'events'>,
  here: string,
): Promise<Shows | undefined> {
  return isOurs(here) || !(await events.follow()) ? undefined : tableOf(events.all()).get(here)
}

/** Pages that belong to no event. */
const isOurs = (here: string): boolean =>
  ['/', '/organisers', '/my', '/admin'].includes(here) ||
  here.startsWith('/admin/') ||
  LINK.test(here)

function tableOf(events: readonly ServedEvent[]): ReadonlyMap<string, Shows> {
  const table = new Map<string, Shows>()
  for (const served of events) {
    const { form, also, success, failed } = served.config.routes
    for (const route of [form, ...also]) table.set(withoutSlash(route), { is: 'form', served })
    table.set(withoutSlash(success), { is: 'success', served })
    table.set(withoutSlash(failed), { is: 'failed', served })
  }
  return table
}

/** Renders the whole form into the page if possible, else its introduction. */
async function formPage(
  drawings: Drawings,
  served: ServedEvent,
  here: string,
  at: Instant,
): Promise<Page> {
  const event = served.config
  // The number of seats left changes by the minute, so the script requests it.
  const { left: _, ...today } = buildTariff(event, at)
  const about = { page: 'event', event: eventAnswer(served, at) } as const
  const drawn = { ...about, tariff: today, drawn: true } as const
  const isOpen = checkRegistrationOpen(event, dayOf(at)).open
  const drawing = isOpen ? await drawings.of(served, drawn) : null
  const closing = isOpen ? needsScript(event) : ''
  const main = `${event.about ?? event.title}, ${formatDays(event.from, event.to)}, ${event.venue}`
  const url = new URL(event.routes.form, here).href
  return {
    title: `${event.title}: registration`,
    about: main,
    url,
    picture: new URL(pictureUrl(event), here).href,
    colour: event.look.colour,
    ...(drawing === null
      ? {
          shell: eventShell(event, at, `<noscript>${closing}</noscript>`),
          data: { ...about, tariff: null, drawn: false },
        }
      : { shell: eventText(event, at, closing), drawing, data: drawn }),
  }
}

const lookingUp = `<p>${result.loading}</p><noscript><p>${result.needsScript}</p></noscript>`

function resultPage(served: ServedEvent, outcome: 'success' | 'failed', at: Instant): Page {
  const event = served.config
  const shell = eventShell(event, at, lookingUp)
  return {
    title: formatMessage(result.title, { event: event.title }),
    about: formatMessage(result.about, { event: event.title }),
    url: null,
    picture: null,
    colour: event.look.colour,
    shell,
    data: { page: 'result', outcome, event: eventAnswer(served, at) },
  }
}

/** Uses the event of the link, even if it has expired; no event if the link is unknown. */
async function ownPage(
  deps: Deps,
  token: string,
  at: Instant,
): Promise<{ readonly page: Page; readonly status: 200 | 404 }> {
  const found = await linked(deps, token)
  const site = deps.events.site()
  const events = [...deps.events.cards(at)]
  if (found === null) {
    const text = unknownLink.title
    const page = {
      title: titleOf(ownTitle),
      about: text,
      url: null,
      picture: null,
      colour: null,
      shell: plainShell(ownTitle, text),
      data: { page: 'my' as const, event: null, site, events },
    }
    return { page, status: 404 }
  }
  const { served } = found
  const { config } = served
  const page = {
    title: formatMessage(selfService.title, { event: config.title }),
    about: formatMessage(selfService.about, { event: config.title }),
    url: null,
    picture: null,
    colour: config.look.colour,
    shell: eventShell(config, at, lookingUp),
    data: { page: 'my' as const, event: eventAnswer(served, at), site, events },
  }
  return { page, status: found.isExpired ? 404 : 200 }
}

function lostLinkPage(deps: Deps, at: Instant): Page {
  const text = lostLinkNeedsScript
  return {
    title: titleOf(lostLink.title),
    about: text,
    url: null,
    picture: null,
    colour: null,
    shell: plainShell(lostLink.title, text),
    data: { page: 'my', event: null, site: deps.events.site(), events: [...deps.events.cards(at)] },
  }
}

/** `ofUnknownPayment`: the browser returns from the gateway, and there is no registration for the payment. */
async function landingPage(
  drawings: Drawings,
  deps: Deps,
  url: string,
  at: Instant,
  ofUnknownPayment: boolean,
): Promise<Page> {
  const events = deps.events.cards(at)
  const site = deps.events.site()
  const title = site?.page.title ?? name
  const text = site?.page.about ?? about
  const message = ofUnknownPayment ? (site?.messages.unknownPayment ?? UNKNOWN_PAYMENT) : null
  const data = { page: 'site' as const, site, events: [...events], message }
  return {
    title,
    about: text,
    url,
    picture: null,
    colour: null,
    // A message is announced to screen readers only if a script renders it.
    drawing: site === null || message !== null ? null : await drawings.site(data),
    shell:
      messageShell(message) +
      (site === null ? listShell(title, text, events) : siteShell(site, events)),
    data,
  }
}

function organisersPage(deps: Deps, url: string, at: Instant): Page {
  const site = deps.events.site()
  const text = site?.page.about ?? about
  const sample =
    site === null
      ? null
      : (deps.events.byId(site.organisers.example) ?? deps.events.all()[0] ?? null)
  return {
    title: `${name} for organisers`,
    about: site?.organisers.text ?? text,
    url,
    picture: null,
    colour: null,
    shell:
      site === null
        ? listShell('For organisers', text, [])
        : organisersShell(site, sample && eventFile(sample).text),
    data: {
      page: 'organisers',
      site,
      events: [...deps.events.cards(at)],
      now: isoIndia(at),
      sample: sample && eventFile(sample),
      shared: sample && sharedFiles(sample),
    },
  }
}

function officePage(deps: Deps): Page {
  return {
    title: `Office – ${name}`,
    about: 'Sign in to see registrations.',
    url: null,
    picture: null,
    colour: null,
    shell: plainShell('Office', 'The office needs JavaScript.'),
    data: data(deps, 'office'),
  }
}

function missingPage(deps: Deps): Page {
  const text = notFound.explanation
  return {
    title: titleOf(notFound.title),
    about: text,
    url: null,
    picture: null,
    colour: null,
    shell: plainShell(notFound.title, text),
    data: data(deps, 'not-found'),
  }
}

function data(deps: Deps, page: 'office' | 'not-found'): PageData {
  return { page, site: null, events: page === 'office' ? [] : [...deps.events.cards(deps.clock())] }
}
