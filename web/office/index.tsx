/** The office: sign-in and the registrations of every event. */
export default function Office() {
  return <main className="wrap plain" id="main"><h1 className="disp">Registrations</h1></main>
}
