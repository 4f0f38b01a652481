export default function Home() {
  return <p>hello, whoever you are</p>
}
