/** The registration page of an event: frame, theme and toasts. */
import createCache from '@emotion/cache'
import type { EmotionCache } from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { ThemeProvider } from '@mui/material/styles'
import { EventFooter, EventHeader } from '../ui/layout/event-header-footer.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import type { PageProps } from '../app/page-props.ts'
import { NO_EXTENSIONS } from './form/form-extensions.ts'
import type { FormExtensions } from './form/form-extensions.ts'
import { Registration } from './registration-flow.tsx'
import { useScrollAnchoring } from './form/scroll-anchoring.ts'
import { getMuiTheme } from './form/mui-theme.ts'

/** Prefix of the class names that MUI generates. */
export const STYLE_PREFIX = 'r'

let cachedStyles: EmotionCache | null = null
/** Returns the browser's style cache. Creates it on first use, because the server passes its own. */
const getPageStyles = (): EmotionCache => (cachedStyles ??= createCache({ key: STYLE_PREFIX }))

/** `styles` is the cache for MUI's styles; by default they go into the page. */
export type EventPageProps = PageProps & { readonly styles?: EmotionCache }

/** Shows the registration for one event: the form, the live price, the redirect to the gateway. */
export function EventPage({
  page,
  extensions,
  styles,
}: EventPageProps & { readonly extensions: FormExtensions }) {
  useScrollAnchoring()
  if (page.page !== 'event') return null
  const { event } = page.event
  return (
    <CacheProvider value={styles ?? getPageStyles()}>
      <ThemeProvider theme={getMuiTheme()}>
        <ToastProvider as={event.form.notices} ms={event.form.noticeMs}>
          <EventHeader event={event} />
          <Registration page={page} extensions={extensions} />
          <EventFooter support={event.support} />
        </ToastProvider>
      </ThemeProvider>
    </CacheProvider>
  )
}

/** Shows the page of an event that sells only a registration. */
export default function PlainRegistrationPage(props: EventPageProps) {
  return <EventPage {...props} extensions={NO_EXTENSIONS} />
}
