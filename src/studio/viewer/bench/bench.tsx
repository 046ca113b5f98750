import { render } from "preact"
import { BenchPage } from "./BenchPage.tsx"
import { Session } from "./Session.tsx"

render(<BenchPage session={new Session()} />, document.body)
