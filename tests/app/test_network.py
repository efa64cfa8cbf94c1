import socket

import pytest
from shiboken6 import delete

from app.network import NetworkWatch


@pytest.fixture
def watch(qtbot):
    return NetworkWatch()


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="needs local sockets")
def test_a_pair_of_local_sockets_is_no_network(watch):
    for end in socket.socketpair(socket.AF_UNIX):
        end.close()
    assert not watch.used


def test_a_planted_connection_is_told(watch, qtbot):
    with (
        socket.socket() as endpoint,
        qtbot.waitSignal(watch.attempted),
        pytest.raises(ConnectionRefusedError),
    ):
        endpoint.connect(("127.0.0.1", 1))
    assert watch.used


def test_a_look_up_is_told(watch):
    socket.getaddrinfo("127.0.0.1", 80)
    assert watch.used


def test_a_watch_whose_window_is_gone_stands_in_nobodys_way(watch):
    delete(watch)
    assert socket.getaddrinfo("127.0.0.1", 80)


@pytest.mark.skipif(not hasattr(socket.socket, "sendmsg"), reason="needs sendmsg")
def test_a_planted_datagram_is_told(watch):
    with socket.socket(type=socket.SOCK_DGRAM) as endpoint:
        endpoint.sendmsg([b"x"], [], 0, ("127.0.0.1", 9))
    assert watch.used


def test_the_window_says_that_the_network_is_off_until_something_connects(person, qtbot):
    mark = person.find("networkMark")
    assert mark.text() == "Network: off"
    with socket.socket() as endpoint, pytest.raises(ConnectionRefusedError):
        endpoint.connect(("127.0.0.1", 1))
    qtbot.waitUntil(lambda: mark.text() == "Network: used")
