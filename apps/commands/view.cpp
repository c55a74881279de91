// polyform view MODEL: a page that follows a model file and its run.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <filesystem>
#include <memory>

#include "apps/command.hpp"
#include "apps/report/page_template.hpp"
#include "apps/session/interruption.hpp"
#include "apps/session/session.hpp"
#include "apps/text/terminal.hpp"
#include "apps/view/live_server.hpp"
#include "apps/view/live_session.hpp"
#include "framework/supervision.hpp"

namespace polyform::apps {

namespace {

using host::Exit;

struct ViewArguments {
  LiveRequest request;
  std::optional<double> duration;
  int port = 0;  ///< 0: one that is free
};

/// Looks for Ctrl-C and similar signals, which by themselves do not interrupt a wait of the event loop.
void end_at_interruption(boost::asio::steady_timer& timer, const volatile std::sig_atomic_t& interrupted,
                         const std::function<void()>& end) {
  timer.expires_after(std::chrono::milliseconds(50));
  timer.async_wait([&timer, &interrupted, end](boost::system::error_code) {
    if (interrupted == 0) return end_at_interruption(timer, interrupted, end);
    host::heed_wish();
    end();
  });
}

Exit view(const ViewArguments& arguments) {
  const std::string& file = arguments.request.model.file;
  if (view_page().empty())
    throw host::Failure(Exit::simulation_failed, "this polyform was built without the page of view",
                        "When it was built, npm or its packages could not be had: install nodejs and npm, then run "
                        "cmake again, which says what is missing.");
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file, problem))
    throw host::Failure(Exit::bad_input, fmt::format("{}: there is no such file", file),
                        "Give a model file; it may hold errors, which the page shows.");
  Session session(arguments.request.model.plugin_paths);
  const volatile std::sig_atomic_t& interrupted = watch_interruption();
  boost::asio::io_context io;
  std::unique_ptr<LiveServer> server;
  LiveRequest request = arguments.request;
  request.run.duration = arguments.duration;
  LiveSession live(io, session, request, [&server](std::string_view message) { server->send(message); });
  server = std::make_unique<LiveServer>(
      io, static_cast<unsigned short>(arguments.port), make_token(),
      LiveServer::Content{
          page_with(view_page(), std::filesystem::path(file).stem().string()), [&live] { return live.so_far(); },
          [&live](std::string_view message) { return live.take(message); }, [&live](bool held) { live.hold(held); }});
  fmt::print(output(), "{}\n", server->address());
  fmt::print(output(), "This page follows {}. Ctrl-C ends it.\n", file);
  std::fflush(output());
  boost::asio::steady_timer timer(io);
  end_at_interruption(timer, interrupted, [&] {
    live.stop();
    server->stop();
    io.stop();
  });
  live.start();
  io.run();
  return Exit::done;
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
  CLI::App* sub =
      app.add_subcommand("view", "A page that follows a model file as it is edited, and its run as it goes");
  const auto arguments = std::make_shared<ViewArguments>();
  add_model(*sub, arguments->request.model);
  add_state(*sub, arguments->request.model.state);
  add_solver(*sub, arguments->request.solver);
  add_solver_options(*sub, arguments->request.options);
  sub->add_option("--integrator", arguments->request.run.integrator, "Integrator [model, else the preferred one]")
      ->type_name("NAME");
  sub->add_option_function<std::string>(
         "--duration", [arguments](const std::string& text) { arguments->duration = positive_number(text); },
         "Time to simulate, s [model, else 10]")
      ->check(CLI::Validator([](std::string& text) { return check_positive(text); }, ""))
      ->type_name("S");
  sub->add_option("--port", arguments->port, "Port of this machine to listen on [one that is free]")
      ->check(CLI::Range(1, 65535))
      ->type_name("PORT");
  sub->footer(
      "Prints the address of the page, for a browser on this machine. The page shows the\n"
      "mechanism as it moves, its channels as plots, and errors of the model with their place.\n"
      "Whenever the file is saved, it is read and run anew. Parameters of the model have\n"
      "sliders; Shift and a drag of the mouse push a body. The server listens on 127.0.0.1\n"
      "alone and answers only those who know the token in the address. Example:\n"
      "  polyform view apps/models/slider_crank.yaml");
  sub->final_callback([&action, arguments] { action = [arguments] { return view(*arguments); }; });
}

}  // namespace polyform::apps
