/** The addresses that are Rollcall's own: the app's routes and what the checker keeps for them are one list. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RESERVED_CALLS } from '../../../engine/index.ts'
import { findClashes } from '../../../engine/authoring.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp()
})
afterAll(() => server.close())

/** Where event files' own calls and pages are looked up. */
const DISPATCHING = ['/api/*', '/*', '*']
/** A route as the checker writes it. */
const reservedAs = (url: string): string =>
  url.replace(/(?<=.)\/$/, '').replaceAll(/:(\w+)/g, '{$1}')

test('every fixed route of the app is reserved, so that no event file can claim it', () => {
  const urls = server.app.fixedRoutes.map(({ url }) => url)
  expect(urls).toContain('/api/payment/webhook/')
  expect(
    urls.filter((url) => !DISPATCHING.includes(url) && !RESERVED_CALLS.includes(reservedAs(url))),
    'add it to RESERVED_CALLS of engine/event/reserved-addresses.ts',
  ).toEqual([])
})

test('every reserved address is a fixed route, except files of the web app', () => {
  const routed = new Set(server.app.fixedRoutes.map(({ url }) => reservedAs(url)))
  expect(RESERVED_CALLS.filter((path) => path !== '/assets/*' && !routed.has(path))).toEqual([])
})

test('finds a conflict among 1,001 events', () => {
  const config = server.deps.events.all()[0]?.config
  if (config === undefined) throw new Error('there must be an event')
  const many = Array.from({ length: 1000 }, (_, at) => {
    const own = (path: string): string => path.replace(/^(\/api)?\/[^/]+/, `$1/e${at}`)
    return {
      ...config,
      id: `e${at}`,
      orderId: { ...config.orderId, prefix: `E${at}X` },
      routes: {
        form: `/e${at}`,
        also: [],
        success: `/e${at}/success`,
        failed: `/e${at}/failed`,
      },
      api: {
        ...config.api,
        register: own(config.api.register),
        registration: own(config.api.registration),
        tariff: own(config.api.tariff),
        gatewayReturn: null,
      },
      admin: { dashboard: { ...config.admin.dashboard, key: `e${at}` }, lists: [] },
    }
  })
  expect(findClashes(many)).toEqual([])
  const twin = many[7]
  if (twin === undefined) throw new Error('there must be a seventh')
  // In the last of them one address of each kind is the seventh's.
  const last = {
    ...many[999],
    ...config,
    id: 'last',
    orderId: twin.orderId,
    routes: { ...twin.routes, form: '/last', failed: '/last/failed' },
    api: { ...config.api, ...twin.api, register: '/api/last/register/', gatewayReturn: null },
    admin: { ...twin.admin },
  }
  expect(findClashes([...many, last]).map(({ code, earlier, at }) => [code, earlier, at])).toEqual([
    ['EV801', 7, 'routes.success'],
    ['EV803', 7, 'api.registration'],
    ['EV803', 7, 'api.tariff'],
    ['EV802', 7, 'order_id'],
    ['EV806', 7, 'admin.dashboard.key'],
  ])
})
