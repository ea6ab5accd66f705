/** The header and footer of an event's pages. The server writes the event's colour into the page. */
import { formatDays } from '../../../engine/index.ts'
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon, Logo } from '../icons-and-logo.tsx'
import { renderMessage } from '../rich-message.tsx'
import { SkipLink } from './skip-link.tsx'
import { Badge } from '../payment-status-badge.tsx'

type HeaderEvent = Pick<
  PublicEvent,
  'title' | 'theme' | 'from' | 'to' | 'hours' | 'venue' | 'demo' | 'look'
>

/**
 * Shows the colour band, title, motto, dates and venue. `level` is the heading level. It differs on the organisers'
 * page, which shows the header below a title of its own. The server renders the same markup, so that nothing moves
 * on hydration.
 */
export function EventHeader({
  event,
  level: Title = 'h1',
}: {
  readonly event: HeaderEvent
  readonly level?: 'h1' | 'h2'
}) {
  return (
    <header className="ev">
      {Title === 'h1' && <SkipLink />}
      <div className="wrap">
        <div className="ev-top">
          <a className="mark" href="/">
            <Logo />
            {COMMON_MESSAGES.product}
          </a>
          {event.demo.length > 0 && (
            <Badge tone="care" icon="flag">
              {COMMON_MESSAGES.demoValues}
            </Badge>
          )}
        </div>
        <div className="ev-row">
          <div className="ev-name">
            {event.look.logo && <img className="ev-logo" src={event.look.logo} alt="" />}
            <div>
              <Title className="disp">{event.title}</Title>
              {event.theme && <p className="motto disp">{event.theme}</p>}
            </div>
          </div>
          <p className="chip">
            <span>
              <Icon name="cal" />
              {formatDays(event.from, event.to)}
            </span>
            {event.hours && (
              <span>
                <Icon name="clock" />
                {event.hours}
              </span>
            )}
            <span>
              <Icon name="pin" />
              {event.venue}
            </span>
          </p>
        </div>
      </div>
    </header>
  )
}

export function EventFooter({ support }: { readonly support: string }) {
  return (
    <footer className="foot">
      <div className="wrap">
        <span>
          {renderMessage(COMMON_MESSAGES.questions, {
            support: <a href={`mailto:${support}`}>{support}</a>,
          })}
        </span>
        <a href="/my">{COMMON_MESSAGES.lostLink}</a>
      </div>
    </footer>
  )
}
