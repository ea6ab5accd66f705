/** The checker's list of reserved addresses contains exactly the app's own routes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RESERVED_ENDPOINTS } from '../../../engine/index.ts'
import { findClashes } from '../../../engine/authoring.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp()
})
afterAll(() => server.close())

/** Routes that look up their paths in the event files. */
const DYNAMIC_ROUTES = ['/api/*', '/*', '*']
/** Returns a route's path in the checker's notation. */
const toReservedPath = (url: string): string =>
  url.replace(/(?<=.)\/$/, '').replaceAll(/:(\w+)/g, '{$1}')

test('every fixed route of the app is reserved, so that no event file can claim it', () => {
  const routes = server.app.fixedRoutes.map(({ url }) => url)
  expect(routes).toContain('/api/payment/webhook/')
  expect(
    routes.filter(
      (url) => !DYNAMIC_ROUTES.includes(url) && !RESERVED_ENDPOINTS.includes(toReservedPath(url)),
    ),
    'add it to RESERVED_ENDPOINTS of engine/event/reserved-addresses.ts',
  ).toEqual([])
})

test('every reserved address is a fixed route or a file of the web app', () => {
  const routedAddresses = new Set(server.app.fixedRoutes.map(({ url }) => toReservedPath(url)))
  expect(
    RESERVED_ENDPOINTS.filter((path) => path !== '/assets/*' && !routedAddresses.has(path)),
  ).toEqual([])
})

test('finds a conflict among 1,001 events', () => {
  const config = server.deps.events.all()[0]?.config
  if (config === undefined) throw new Error('there must be an event')
  const manyEvents = Array.from({ length: 1000 }, (_, index) => {
    const buildPath = (path: string): string => path.replace(/^(\/api)?\/[^/]+/, `$1/e${index}`)
    return {
      ...config,
      id: `e${index}`,
      orderId: { ...config.orderId, prefix: `E${index}X` },
      routes: {
        form: `/e${index}`,
        also: [],
        success: `/e${index}/success`,
        failed: `/e${index}/failed`,
      },
      api: {
        ...config.api,
        register: buildPath(config.api.register),
        registration: buildPath(config.api.registration),
        tariff: buildPath(config.api.tariff),
        gatewayReturn: null,
      },
      admin: { dashboard: { ...config.admin.dashboard, key: `e${index}` }, lists: [] },
    }
  })
  expect(findClashes(manyEvents)).toEqual([])
  const seventhEvent = manyEvents[7]
  if (seventhEvent === undefined) throw new Error('there must be a seventh event')
  // The last event shares one address of each kind with the seventh.
  const lastEvent = {
    ...manyEvents[999],
    ...config,
    id: 'last',
    orderId: seventhEvent.orderId,
    routes: { ...seventhEvent.routes, form: '/last', failed: '/last/failed' },
    api: {
      ...config.api,
      ...seventhEvent.api,
      register: '/api/last/register/',
      gatewayReturn: null,
    },
    admin: { ...seventhEvent.admin },
  }
  expect(
    findClashes([...manyEvents, lastEvent]).map(({ code, earlierIndex, at }) => [
      code,
      earlierIndex,
      at,
    ]),
  ).toEqual([
    ['EV801', 7, 'routes.success'],
    ['EV803', 7, 'api.registration'],
    ['EV803', 7, 'api.tariff'],
    ['EV802', 7, 'order_id'],
    ['EV806', 7, 'admin.dashboard.key'],
  ])
})
