/** The landing page, with the texts of `_shared/site.yaml`. */
import { useEffect } from 'react'
import type { CSSProperties } from 'react'
import type { Site } from '../../engine/index.ts'
import type { EventCard } from '../../engine/api.ts'
import {
  getClosedText,
  formatDays,
  formatMoney,
  fromMajorUnits,
  toAmount,
} from '../../engine/index.ts'
import { formatMessage, LANDING_MESSAGES } from '../../engine/messages.ts'
import type { PageProps } from '../app/page-props.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import { renderHiddenText, renderMessage } from '../ui/rich-message.tsx'
import { Icon } from '../ui/icons-and-logo.tsx'
import { Badge } from '../ui/payment-status-badge.tsx'
import { SiteFooter, SiteHeader } from './site-header-footer.tsx'
import './landing-sections.css'

/** Renders the landing page from the page data. */
export default function SitePage({ page }: PageProps) {
  if (page.page !== 'site' || !isSite(page.site)) return null
  return <Landing site={page.site} events={page.events} message={page.message} />
}

/** Returns whether the server has sent a compiled file. It sends null only if the file has errors. */
const isSite = (site: unknown): site is Site =>
  typeof site === 'object' && site !== null && 'hero' in site

type LandingProps = {
  readonly site: Site
  readonly events: readonly EventCard[]
  readonly message: string | null
}

function Landing({ site, events, message }: LandingProps) {
  useScrollToAnchor()
  return (
    <div className="site">
      {message !== null && (
        <div className="redirect-notice" role="alert">
          <p className="wrap">{message}</p>
        </div>
      )}
      <SiteHeader site={site} currentPath="/" />
      <main id="main">
        <Hero hero={site.hero} />
        <div className="wrap first">
          <Conferences texts={site.conferences} events={events} />
        </div>
        <section className="claims" id="about" aria-labelledby="about-title">
          <div className="wrap">
            <h2 className="vh" id="about-title">
              {site.claims.title}
            </h2>
            <dl>
              {site.claims.items.map(({ figure, label }) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{figure}</dd>
                </div>
              ))}
            </dl>
          </div>
        </section>
        <div className="wrap">
          <section className="sect" id="features" aria-labelledby="features-title">
            <h2 className="disp" id="features-title">
              {site.features.title}
            </h2>
            <ul className="nine">
              {site.features.items.map(({ title, text }) => (
                <li key={title}>
                  <Icon name="tick" />
                  <h3>{title}</h3>
                  <p>{text}</p>
                </li>
              ))}
            </ul>
          </section>
          <section className="sect" id="how-it-works" aria-labelledby="steps-title">
            <h2 className="disp" id="steps-title">
              {site.steps.title}
            </h2>
            <ol className="steps">
              {site.steps.items.map(({ title, text }) => (
                <li key={title}>
                  <h3>{title}</h3>
                  <p>{text}</p>
                </li>
              ))}
            </ol>
          </section>
          <section className="sect" aria-labelledby="testimonials-title">
            <h2 className="disp" id="testimonials-title">
              {site.testimonials.title}
            </h2>
            <ul className="six">
              {site.testimonials.items.map((item) => (
                <li key={item.quote}>
                  <Testimonial {...item} />
                </li>
              ))}
            </ul>
          </section>
        </div>
        <section className="trial" id="pricing" aria-labelledby="trial-title">
          <div className="wrap">
            <div>
              <h2 className="disp" id="trial-title">
                {site.trial.title}
              </h2>
              <p>{site.trial.text}</p>
            </div>
            <a className="btn" href={site.trial.button.go}>
              {site.trial.button.label}
            </a>
          </div>
        </section>
      </main>
      <SiteFooter site={site} currentPath="/" />
    </div>
  )
}

/** Scrolls to the URL's anchor, because the page is rendered after the browser has looked for the anchor. */
function useScrollToAnchor(): void {
  useEffect(() => {
    const { hash } = window.location
    if (hash.length > 1) document.getElementById(hash.slice(1))?.scrollIntoView()
  }, [])
}

/** Several tick shapes, so that the ticks look hand-drawn. */
const TICK_PATHS = [
  'M4 16 11 23 27 4',
  'M5 15 11.5 22.5 26 6',
  'M4 17 10 23 28 3',
  'M5 16 12 23 26 5',
  'M4 15 11 22 28 5',
  'M5 17 11 23 27 4',
]

function Hero({ hero }: { readonly hero: Site['hero'] }) {
  const currency = readResponseCurrency(hero.picture ?? {})
  return (
    <div className="hero">
      <div className="wrap">
        <div>
          <h1 className="disp">{hero.title}</h1>
          <p className="lead">{hero.text}</p>
          <p className="go">
            <a className="btn" href={hero.button.go}>
              {hero.button.label}
            </a>
            <a className="btn quiet" href={hero.link.go}>
              {hero.link.label}
            </a>
          </p>
        </div>
        {hero.picture && (
          <div className="book" aria-hidden="true">
            <p className="t">
              {hero.picture.title} <span>{hero.picture.day}</span>
            </p>
            <ol>
              {hero.picture.rows.map((row, index) => (
                <li key={row.name}>
                  <span className="n">{index + 1}</span>
                  <span className="d">
                    {row.name}
                    <small>{row.about}</small>
                  </span>
                  <span className="p">
                    {formatMoney(fromMajorUnits(row.amount, currency) ?? toAmount(0), currency)}
                  </span>
                  <svg viewBox="0 0 30 30">
                    <path d={TICK_PATHS[index % TICK_PATHS.length]} />
                  </svg>
                </li>
              ))}
              <li>
                <span className="n">{hero.picture.rows.length + 1}</span>
                <span className="d w">{hero.picture.next}</span>
              </li>
            </ol>
          </div>
        )}
      </div>
    </div>
  )
}

/**
 * Lists the conferences. They come before the marketing, because most visitors are delegates. The server sorts them,
 * upcoming conferences first.
 */
function Conferences({
  texts,
  events,
}: {
  readonly texts: Site['conferences']
  readonly events: readonly EventCard[]
}) {
  return (
    <section className="sect" id="conferences" aria-labelledby="conferences-title">
      <h2 className="disp" id="conferences-title">
        {texts.title}
      </h2>
      {events.length === 0 && <p className="no-conferences">{texts.none}</p>}
      {events.length > 0 && (
        <ul className="conferences">
          {events.map((event) => (
            <li key={event.id} style={{ '--e': event.look.colour } as CSSProperties}>
              <div>
                <h3 className="disp">
                  <a href={event.routes.form}>{event.title}</a>
                </h3>
                {event.theme && <p className="motto">{event.theme}</p>}
              </div>
              <p>
                {formatDays(event.from, event.to)}
                {event.hours && `, ${event.hours}`}
                <br />
                {event.venue}
                {event.took_place && <span className="past">{texts.past}</span>}
              </p>
              <span className="a">
                {event.open ? (
                  <a
                    className={event.took_place ? 'btn line sm' : 'btn sm'}
                    href={event.routes.form}
                  >
                    {renderMessage(LANDING_MESSAGES.register, {
                      label: texts.register,
                      event: event.title,
                      hidden: renderHiddenText,
                    })}
                  </a>
                ) : (
                  <Badge tone="back" icon={event.closed?.by === 'early' ? 'clock' : 'lock'}>
                    {getClosedText(texts, event.closed)}
                  </Badge>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Testimonial({ stars, quote, name, role }: Site['testimonials']['items'][number]) {
  return (
    <figure>
      <span className="st" role="img" aria-label={formatMessage(LANDING_MESSAGES.stars, { stars })}>
        {Array.from({ length: stars }, (_, index) => (
          <Icon key={index} name="star" />
        ))}
      </span>
      <blockquote>{quote}</blockquote>
      <figcaption>{formatMessage(LANDING_MESSAGES.person, { name, role })}</figcaption>
    </figure>
  )
}
